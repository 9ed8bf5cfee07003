package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/drift"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// maxBatch is the number of trainings in one transaction. The store would sum a larger batch
// and write it to all tables at once, which takes longer than other requests should wait.
const maxBatch = 64

// training is one message that waits to be learned or forgotten.
type training struct {
	doc   classify.Document
	class string          // "" to forget it
	byID  bool            // doc is only an id, of a document that the ledger must have
	only  *classify.Query // forget it only if this selects it
	auto  *auto           // not nil if it is learned automatically
	watch *drift.Watch    // told if it had been learned automatically as another class

	do func(*classify.Classifier) error // if not nil, called in place of all that

	counted  *count.Document // the ledger's counts, if doc is only an id to be moved
	was      string          // its source in the ledger before
	from     string          // its class in the ledger before
	confirms bool            // it is learned anew, under its own source
	outcome  backend.Outcome
	err      error
	finished func() // called once outcome and err are set
	done     chan struct{}
	ended    bool // a caller has waited until it was finished
}

// learn puts t in the queue, and starts a goroutine for the queue if there is none.
func (d *database) learn(t *training) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.queue = append(d.queue, t)
	if !d.learning {
		d.learning = true
		d.learners.Add(1)
		go d.work()
	}
}

// work learns the trainings in the queue until it is empty.
func (d *database) work() {
	defer d.learners.Done()
	for {
		batch := d.take()
		if batch == nil {
			return
		}
		changed := false
		err := error(nil)
		if d.follows() {
			changed = d.commit(batch) // whoever applies the log writes
		} else if err = d.acquireToLearn(); err == nil {
			changed = d.commit(batch)
			d.writing.RUnlock()
		}
		for _, t := range batch {
			t.err = cmp.Or(err, t.err)
		}
		if changed {
			d.fits.Add(d)
		}
		for _, t := range batch {
			t.finished()
		}
	}
}

// take returns the first trainings of the queue that go into one transaction, or nil.
// Each document occurs once in it, so that the outcome can be foreseen.
func (d *database) take() []*training {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.queue) == 0 {
		d.learning = false
		return nil
	}
	n, seen := 0, make(map[count.DocID]bool)
	for n < len(d.queue) && n < maxBatch && !seen[d.queue[n].doc.ID] && (n == 0 || d.queue[n].do == nil && d.queue[0].do == nil) {
		seen[d.queue[n].doc.ID] = true
		n++
	}
	batch := d.queue[:n:n]
	if d.queue = d.queue[n:]; len(d.queue) == 0 {
		d.queue = nil
	}
	return batch
}

// commit learns a batch: all of it in one transaction, or, if one of its documents is
// refused, each in its own.
func (d *database) commit(batch []*training) (changed bool) {
	ctx := context.Background()
	if t := batch[0]; t.do != nil {
		t.err = d.alone(ctx, t)
		return t.err == nil
	}
	err := d.together(ctx, batch)
	if errors.Is(err, store.ErrReplaced) || errors.Is(err, store.ErrClosed) {
		err = d.together(ctx, batch)
	}
	switch {
	case err == nil:
	case len(batch) > 1 && refused(err):
		for _, t := range batch {
			changed = d.commit([]*training{t}) || changed
		}
		return changed
	default:
		for _, t := range batch {
			t.outcome, t.err = 0, err
		}
		if !refused(err) {
			d.log.Error("training failed", "path", d.path, "documents", len(batch), "error", err)
		}
	}
	for _, t := range batch {
		changed = changed || t.err == nil && t.outcome != backend.Unchanged
	}
	return changed
}

// alone calls t.do with the open database, outside any batch.
func (d *database) alone(ctx context.Context, t *training) error {
	c, err := d.open(ctx, false)
	switch {
	case err != nil:
		return err
	case c == nil:
		return fmt.Errorf("%s: %w", d.path, store.ErrNotExist)
	}
	d.auto = nil
	return t.do(c)
}

// refused reports whether an error is about a document and not about the database.
func refused(err error) bool {
	var kind *count.AttributeError
	return errors.As(err, &kind) || errors.Is(err, store.ErrNoCounts) || errors.Is(err, store.ErrNoClass) ||
		errors.Is(err, count.ErrInvalid) || errors.Is(err, count.ErrNotLearned)
}

// together learns a batch in one transaction and sets the outcomes.
func (d *database) together(ctx context.Context, batch []*training) error {
	c, err := d.open(ctx, true)
	if err != nil {
		return err
	}
	if err := d.foresee(c, batch); err != nil {
		return err
	}
	if d.follows() && slices.ContainsFunc(batch, (*training).dependsOnLedger) {
		if err := d.catchUp(ctx, c); err != nil {
			return err
		}
		if err := d.foresee(c, batch); err != nil {
			return err
		}
	}
	var b classify.Batch
	for _, t := range batch {
		if err := t.add(&b); err != nil {
			d.auto = nil
			return err
		}
	}
	if b.Len() == 0 {
		return nil
	}
	applied, err := d.apply(ctx, c, &b)
	if errors.Is(err, store.ErrReplaced) {
		d.replaced(c)
	}
	if err != nil {
		d.auto = nil
		return err
	}
	for _, t := range batch {
		switch {
		case t.auto != nil && t.outcome == backend.Learned:
			t.auto.watch.Learned()
		case t.was == AutoSource && t.outcome == backend.Moved && t.watch != nil:
			t.watch.Wrong()
		}
	}
	for _, id := range applied.Conflicts {
		for _, t := range batch {
			if t.doc.ID == id {
				t.outcome, t.err = 0, fmt.Errorf("document %s: %w", id, store.ErrNoCounts)
			}
		}
	}
	return nil
}

// add puts t into a transaction.
func (t *training) add(b *classify.Batch) error {
	switch {
	case t.outcome == backend.Unchanged:
		return nil
	case t.byID:
		if t.counted == nil || t.confirms {
			b.Delta().Forget(t.doc.ID)
		}
		if t.counted == nil {
			return nil
		}
		return b.Delta().Add(*t.counted)
	case t.outcome == backend.Forgotten:
		return b.Forget(t.doc)
	case t.confirms:
		// The ledger keeps the first source.
		if err := b.Forget(t.doc); err != nil {
			return err
		}
	}
	return b.Train(t.class, t.doc)
}

// foresee sets the outcomes of the batch from the ledger. Nobody else learns meanwhile;
// in a database shared with other processes a document that another has just learned is
// still learned only once.
func (d *database) foresee(c *classify.Classifier, batch []*training) error {
	return c.Store().View(func(s *store.Snapshot) error {
		if d.auto == nil && slices.ContainsFunc(batch, func(t *training) bool { return t.auto != nil }) {
			var err error
			if d.auto, err = countAuto(s); err != nil {
				return err
			}
		}
		for _, t := range batch {
			entry, err := s.Entry(t.doc.ID)
			if err != nil {
				return err
			}
			if t.foresee(entry); t.byID && t.outcome != backend.Unchanged && t.class != "" {
				if t.counted, err = t.taken(s); err != nil {
					return err
				}
			}
			if d.auto == nil {
				continue
			}
			if t.auto != nil && t.outcome == backend.Learned && !d.auto.may(&t.auto.o, s.Classes(), t.class) {
				t.outcome = backend.Unchanged
			}
			d.auto.change(t, entry)
		}
		return nil
	})
}

// foresee sets the outcome of t, given its entry in the ledger or nil. Teaching a
// document that was learned automatically changes its source to the teacher; nothing in
// the ledger is learned automatically again.
func (t *training) foresee(entry *store.Entry) {
	t.err, t.was, t.from, t.confirms, t.counted = nil, "", "", false, nil
	if entry != nil {
		t.was, t.from = entry.Source, entry.Class
	}
	switch {
	case entry == nil && t.class == "" && !t.byID, entry != nil && t.auto != nil, t.only != nil && (entry == nil || !t.only.Selects(entry)),
		entry != nil && t.byID && entry.Class == t.class && t.was != AutoSource:
		t.outcome = backend.Unchanged
	case entry == nil && t.byID:
		t.outcome, t.err = backend.Unchanged, count.ErrNotLearned
	case t.byID && entry.Keep != count.LedgerFull:
		t.outcome, t.err = backend.Unchanged, store.ErrNoCounts
	case entry == nil:
		t.outcome = backend.Learned
	case t.class == "":
		t.outcome = backend.Forgotten
	case entry.Class != t.class:
		t.outcome = backend.Moved
	case t.was == AutoSource && entry.Keep == count.LedgerFull:
		t.outcome, t.confirms = backend.Learned, true
	default:
		t.outcome = backend.Unchanged
	}
}

// taken returns the ledger's document for t's id, with the source of whoever moves it.
func (t *training) taken(s *store.Snapshot) (*count.Document, error) {
	doc, err := s.Document(t.doc.ID)
	if err == nil {
		doc.Class, doc.Source, doc.Time = t.class, t.doc.Source, time.Now()
	}
	return doc, err
}

// change counts what a training changes.
func (n *autoCounts) change(t *training, entry *store.Entry) {
	switch {
	case t.outcome == backend.Unchanged:
	case t.auto != nil:
		n.add(t.class, 1)
	case t.was == AutoSource:
		n.add(entry.Class, -1)
	}
}
