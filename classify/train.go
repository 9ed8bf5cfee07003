package classify

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Train learns documents as class, all in one transaction, and returns when they are on
// disk. A document that was learned as this class before counts once (store.Delta.Add says
// which of copies that differ); one that was learned as another class is moved. One without terms
// and attributes counts too, for the prior of its class alone.
func (c *Classifier) Train(ctx context.Context, class string, docs ...Document) (store.Applied, error) {
	return c.applyEach(ctx, docs, func(b *Batch, doc Document) error { return b.Train(class, doc) })
}

// Forget removes documents, exactly as they were learned, in one transaction. A Document with an
// ID alone is enough if the ledger keeps documents in full, which is the default. If one was never
// learned, the error wraps count.ErrNotLearned and nothing changes.
func (c *Classifier) Forget(ctx context.Context, docs ...Document) (store.Applied, error) {
	return c.applyEach(ctx, docs, func(b *Batch, doc Document) error { return b.Forget(doc) })
}

// Relabel moves documents to class, which may be new, in one transaction. An ID is enough, and the
// errors are the same, as with Forget.
func (c *Classifier) Relabel(ctx context.Context, class string, docs ...Document) (store.Applied, error) {
	return c.applyEach(ctx, docs, func(b *Batch, doc Document) error { return b.Relabel(class, doc) })
}

func (c *Classifier) applyEach(ctx context.Context, docs []Document, put func(*Batch, Document) error) (store.Applied, error) {
	var b Batch
	for _, doc := range docs {
		if err := put(&b, doc); err != nil {
			return store.Applied{}, err
		}
	}
	return c.Apply(ctx, &b)
}

// Apply makes the changes of the batch in one transaction, and returns when they are on disk. It
// does nothing if ctx has ended before. Once begun it does not look at ctx, since nobody could say
// then what was learned: it waits up to Options.Store.Timeout for a file that others use.
func (c *Classifier) Apply(ctx context.Context, b *Batch) (store.Applied, error) {
	if err := ctx.Err(); err != nil {
		return store.Applied{}, err
	}
	applied, err := c.apply(b)
	if err != nil || applied.Learned+applied.Moved+applied.Forgotten == 0 {
		return applied, err
	}
	// The documents are learned, so neither the end of ctx, which ends a fit, nor a failed
	// fit is an error: the next training tries again. If another call is fitting now, that
	// is enough.
	if c.options.Fitting == FitByHand {
		return applied, nil
	}
	changed := applied.Learned + applied.Moved + applied.Forgotten
	c.taught.Add(int64(changed))
	due, err := c.due(calibration.TrainGrowth)
	switch {
	case err != nil || !due.any():
	case c.options.Fitting == FitBehind && due.slow() && uint64(changed) < due.documents/3:
		c.behind.Add(struct{}{})
	case c.refit.TryLock():
		defer c.refit.Unlock()
		_ = c.fitDue(ctx, calibration.TrainGrowth, false)
	}
	return applied, nil
}

// apply is Apply without fits.
func (c *Classifier) apply(b *Batch) (store.Applied, error) {
	d, err := c.withLessons(b)
	if errors.Is(err, store.ErrInUse) {
		return store.Applied{}, err // Apply would wait as long again
	}
	applied, err := c.db.Apply(d) // which says what else is wrong, if it matters there
	if err != nil || applied.Learned+applied.Moved+applied.Forgotten == 0 {
		return applied, err
	}
	if keep := cmp.Or(b.delta.Keep, c.db.Ledger()); keep != count.LedgerFull && !c.db.Tags() {
		_ = c.db.View(func(s *store.Snapshot) error {
			c.opener().trained.follow(&b.delta, s.Classes())
			return nil
		})
	}
	return applied, nil
}

// trainedSample keeps documents that this process has trained and that the ledger does not
// keep in full, for calibration: those with the least sampleKey, a random sample
// independent of the order of training.
type trainedSample struct {
	mu    sync.Mutex
	docs  map[count.DocID]trainedDocument
	bytes int    // of the documents
	last  uint64 // the greatest key kept after documents were dropped; else 0
}

// trainedDocument has the id of its class, since another class may get the name.
type trainedDocument struct {
	id    count.DocID
	class count.ClassID
	doc   *store.Encoded
	key   uint64
}

// trainedMost and trainedBytes are the limits to which the sample is cut each time it has
// reached twice as much.
const (
	trainedMost  = sampleMost
	trainedBytes = 16 << 20
)

// follow applies d to the sample, after a database with these classes has applied it.
func (r *trainedSample) follow(d *store.Delta, classes []*count.Class) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d.Each(func(id count.DocID, name string, doc *store.Encoded) {
		at := count.ClassNamed(classes, name)
		kept, known := r.docs[id]
		switch {
		case at < 0:
			r.drop(id)
		case known:
			kept.class = classes[at].ID
			r.docs[id] = kept
		case doc != nil:
			r.add(trainedDocument{id, classes[at].ID, doc, sampleKey(id)})
		}
	})
}

func (r *trainedSample) drop(id count.DocID) {
	if kept, known := r.docs[id]; known {
		r.bytes -= len(kept.doc.Raw)
		delete(r.docs, id)
	}
}

// add keeps a document if its key is among the least. Now and then the excess is dropped.
func (r *trainedSample) add(doc trainedDocument) {
	if r.last != 0 && doc.key > r.last {
		return
	}
	if r.docs == nil {
		r.docs = make(map[count.DocID]trainedDocument)
	}
	r.docs[doc.id] = doc
	r.bytes += len(doc.doc.Raw)
	if len(r.docs) < 2*trainedMost && r.bytes < 2*trainedBytes {
		return
	}
	all := r.sorted()
	for len(all) > 1 && (len(all) > trainedMost || r.bytes > trainedBytes) {
		r.drop(all[len(all)-1].id)
		all = all[:len(all)-1]
	}
	r.last = all[len(all)-1].key
}

// sorted returns the documents kept, in order of their keys.
func (r *trainedSample) sorted() []trainedDocument {
	return slices.SortedFunc(maps.Values(r.docs), func(a, b trainedDocument) int {
		return cmp.Or(cmp.Compare(a.key, b.key), slices.Compare(a.id[:], b.id[:]))
	})
}

// list is sorted, beside trainings.
func (r *trainedSample) list() []trainedDocument {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sorted()
}
