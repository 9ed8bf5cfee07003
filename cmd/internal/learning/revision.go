package learning

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// Revision is one run of a command that moves or forgets learned documents.
type Revision struct {
	Classifier *classify.Classifier
	Reader     *reading.Reader
	Forgets    bool   // forget them, or else move them to Class
	Class      string // if it forgets: the class to take documents from that are in no ledger, or ""

	Applied store.Applied // so far, also after an error

	ctx     context.Context
	batch   classify.Batch
	singles []single // the documents of batch, one by one
	seen    map[count.DocID]bool
	failed  reading.Troubles
}

// Done returns the number of documents that are now as requested.
func (r *Revision) Done() int { return r.Applied.Forgotten + r.Applied.Moved + r.Applied.Already }

// Run revises the documents of these ids, and those at these paths. Its error lists those that
// could not be revised.
func (r *Revision) Run(ctx context.Context, ids []count.DocID, paths []string) error {
	r.ctx, r.seen = ctx, make(map[count.DocID]bool)
	for _, id := range ids {
		if err := r.revise(id, nil); err != nil {
			return err
		}
	}
	r.Reader.Sorts, r.Reader.Deliver = true, func(d *reading.Document) error { return r.revise(d.ID, d) }
	err := readAll(ctx, r.Reader, paths, "changing ", &r.batch, r.apply)
	if errors.Is(err, context.Canceled) {
		err = fmt.Errorf("interrupted: %s documents are done; run the same command again to go on", terminal.Grouped(r.Done()))
	}
	if err != nil {
		return err
	}
	_ = r.Reader.Finish() // its errors are reported with the others
	return append(r.failed, r.Reader.Failed...).OrNil()
}

// IDOf returns the id that an argument spells, unless a file has that name.
func IDOf(arg string) (id count.DocID, isID bool) {
	id, err := count.ParseDocID(arg)
	_, missing := os.Stat(arg)
	return id, err == nil && missing != nil
}

// Named separates the ids among args from the paths.
func Named(args []string) (ids []count.DocID, paths []string) {
	for _, arg := range args {
		if id, isID := IDOf(arg); isID {
			ids = append(ids, id)
		} else {
			paths = append(paths, arg)
		}
	}
	return ids, paths
}

// revise adds one document to the batch. A document that was never learned does not
// prevent revising the others.
func (r *Revision) revise(id count.DocID, d *reading.Document) error {
	if r.seen[id] {
		return nil
	}
	r.seen[id] = true
	entry, err := LedgerEntry(r.Classifier.Store(), id)
	if err != nil {
		return err
	}
	one := single{name: "document " + id.String()}
	if d != nil {
		one.name = d.Path
	}
	switch b := &one.batch; {
	case entry != nil && entry.Keep == count.LedgerFull && r.Forgets:
		b.Delta().Forget(id)
	case entry != nil && entry.Keep == count.LedgerFull:
		err = b.Delta().Relabel(id, r.Class)
	case entry != nil && d == nil:
		err = fmt.Errorf("%s: the ledger keeps only its digest; give its file instead", one.name)
	case entry != nil && r.Forgets:
		err = b.Forget(d.Learnable(""))
	case entry != nil:
		err = b.Relabel(r.Class, d.Learnable(entry.Source))
	case d != nil && r.Forgets && r.Class != "":
		doc := d.Learnable("")
		err = b.Delta().Take(doc.Counted(r.Class, nil))
	case r.Classifier.Store().Ledger() == count.LedgerNone:
		err = fmt.Errorf("%s: the database keeps no ledger and cannot tell what was learned; 'polya forget --class' forgets it", one.name)
	default:
		err = errNever(one.name)
	}
	if err != nil {
		r.failed = append(r.failed, err)
		return nil
	}
	r.batch.Delta().Merge(one.batch.Delta())
	r.singles = append(r.singles, one)
	if isFull(&r.batch, r.Classifier.Store()) {
		return r.apply()
	}
	return nil
}

type single struct {
	name  string
	batch classify.Batch
}

// apply applies the batch in one transaction. If that is refused because of some
// documents, it applies the others one by one.
func (r *Revision) apply() error {
	err := r.applyBatch(&r.batch)
	if isRefusal(err) {
		err = nil
		for i := range r.singles {
			one := &r.singles[i]
			if refusal := r.applyBatch(&one.batch); isRefusal(refusal) {
				r.failed = append(r.failed, refused(one.name, refusal))
			} else if err = refusal; err != nil {
				break
			}
		}
	}
	r.batch.Reset()
	r.singles = nil
	return err
}

func (r *Revision) applyBatch(b *classify.Batch) error {
	a, err := r.Classifier.Apply(r.ctx, b)
	r.Applied.Add(a)
	return err
}

// isRefusal reports whether a batch failed because of a document in it.
func isRefusal(err error) bool {
	return errors.Is(err, count.ErrNotLearned) || errors.Is(err, store.ErrNoCounts)
}

func refused(name string, err error) error {
	if errors.Is(err, store.ErrNoCounts) {
		return fmt.Errorf("%s: this is not the text that was learned, and the ledger keeps only a digest of that; give the very file", name)
	}
	return errNever(name)
}

func errNever(name string) error {
	return fmt.Errorf("%s: never learned, so nothing was changed for it", name)
}

// LedgerEntry returns the ledger's entry for a document, nil if it was never learned.
func LedgerEntry(db *store.DB, id count.DocID) (entry *store.Entry, err error) {
	err = db.View(func(s *store.Snapshot) error {
		entry, err = s.Entry(id)
		return err
	})
	return entry, err
}

// Learned returns a learned document with its counts. The error is for one that was never
// learned, or whose counts the ledger does not keep.
func Learned(c *classify.Classifier, id count.DocID) (doc classify.Document, err error) {
	err = c.Store().View(func(s *store.Snapshot) error {
		learned, err := s.Document(id)
		switch {
		case err != nil:
			return fmt.Errorf("document %s: %w", id, err)
		case learned == nil:
			return fmt.Errorf("no document %s was learned", id)
		}
		bag := new(tokenize.Bag)
		for _, t := range learned.Terms {
			bag.AddN(t.Term, int(t.N))
		}
		doc = classify.Document{ID: id, Bag: bag, Attributes: slices.Clone(learned.Attributes)}
		return nil
	})
	return doc, err
}
