// Package learn holds databases that answer while they learn.
package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// MaxBatch is the number of trainings in one transaction. The store would sum a larger batch
// and write it to all tables at once, which takes longer than other requests should wait.
const MaxBatch = 64

// Learn puts t in the queue and keeps the database open until t is done, when it calls after.
func (d *Database) Learn(t *Training, after func()) {
	t.after, t.done = after, make(chan struct{})
	d.mu.Lock()
	defer d.mu.Unlock()
	d.holders++
	d.queue = append(d.queue, t)
	if !d.learning {
		d.learning = true
		d.learners.Add(1)
		go d.work()
	}
}

// work learns the trainings in the queue until it is empty.
func (d *Database) work() {
	defer d.learners.Done()
	for {
		batch := d.take()
		if batch == nil {
			return
		}
		changed := false
		err := error(nil)
		if d.Follows() {
			changed = d.commit(batch) // whoever applies the log writes
		} else if d.acquire(context.Background(), 1, 2) != nil {
			err = fmt.Errorf("%s is written by another process: %w", d.Path, backend.ErrBusy)
		} else {
			changed = d.commit(batch)
			d.writing.Release(1)
		}
		for _, t := range batch {
			t.Err = cmp.Or(err, t.Err)
		}
		if changed {
			d.options.Fits.Add(d)
		}
		for _, t := range batch {
			d.Release()
			t.after()
			close(t.done)
		}
	}
}

// take returns the first trainings of the queue that go into one transaction, or nil.
// Each document occurs once in it, so that the outcome can be foreseen.
func (d *Database) take() []*Training {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.queue) == 0 {
		d.learning = false
		return nil
	}
	n, seen := 0, make(map[count.DocID]bool)
	for n < len(d.queue) && n < MaxBatch && !seen[d.queue[n].Doc.ID] && (n == 0 || d.queue[n].Do == nil && d.queue[0].Do == nil) {
		seen[d.queue[n].Doc.ID] = true
		n++
	}
	batch := d.queue[:n:n]
	if d.queue = d.queue[n:]; len(d.queue) == 0 {
		d.queue = nil
	}
	return batch
}

// commit learns a batch in one transaction or, if one of its documents is refused, each in its own.
func (d *Database) commit(batch []*Training) (changed bool) {
	ctx := context.Background()
	if t := batch[0]; t.Do != nil { // it is the only one
		var c *classify.Classifier
		if c, t.Err = d.Existing(ctx); t.Err == nil {
			d.auto = nil
			t.Err = t.Do(c)
		}
		return t.Err == nil
	}
	err := d.together(ctx, batch)
	if errors.Is(err, store.ErrReplaced) || errors.Is(err, store.ErrClosed) {
		err = d.together(ctx, batch)
	}
	switch {
	case err == nil:
	case len(batch) > 1 && refused(err):
		for _, t := range batch {
			changed = d.commit([]*Training{t}) || changed
		}
		return changed
	default:
		if refused(err) {
			err = fmt.Errorf("%w: %w", backend.ErrRefused, err)
		} else {
			d.options.Log.Error("training failed", "path", d.Path, "documents", len(batch), "error", err)
		}
		for _, t := range batch {
			t.Outcome, t.Err = "", err
		}
	}
	for _, t := range batch {
		changed = changed || t.Err == nil && t.Outcome != backend.Unchanged
	}
	return changed
}

// together learns a batch in one transaction and sets the outcomes.
func (d *Database) together(ctx context.Context, batch []*Training) (err error) {
	defer func() {
		if err != nil {
			d.auto = nil // it counts what was not learned
		}
	}()
	c, err := d.Open(ctx, true)
	if err != nil {
		return err
	}
	if err := d.foresee(c, batch); err != nil {
		return err
	}
	if d.Follows() && slices.ContainsFunc(batch, (*Training).dependsOnLedger) {
		// It has everything that is in the log now once it has an empty Delta: a reported length may be out of date.
		if _, err := d.options.Publisher.Publish(ctx, "", new(store.Delta)); err != nil {
			return err
		}
		d.auto = nil
		if err := d.foresee(c, batch); err != nil {
			return err
		}
	}
	var b classify.Batch
	for _, t := range batch {
		if err := t.add(&b); err != nil {
			return err
		}
	}
	if b.Len() == 0 {
		return nil
	}
	applied, err := d.apply(ctx, c, &b)
	if err != nil {
		return err
	}
	for _, t := range batch {
		switch {
		case t.Share != nil && t.Outcome == backend.Learned && d.options.Watch != nil:
			d.options.Watch.Learned()
		case t.was == backend.AutoSource && t.Outcome == backend.Moved && d.options.Watch != nil:
			d.options.Watch.Wrong()
		}
		if slices.Contains(applied.Conflicts, t.Doc.ID) {
			t.Outcome, t.Err = "", fmt.Errorf("%w: document %s: %w", backend.ErrRefused, t.Doc.ID, store.ErrNoCounts)
		}
	}
	return nil
}

// apply learns b: through the log, if the database follows one.
func (d *Database) apply(ctx context.Context, c *classify.Classifier, b *classify.Batch) (applied store.Applied, err error) {
	if d.Follows() {
		applied, err = d.options.Publisher.Publish(ctx, d.options.User, b.Delta())
		err = cmp.Or(err, applied.Refused)
	} else {
		applied, err = c.Apply(ctx, b)
	}
	if errors.Is(err, store.ErrReplaced) {
		d.options.Log.Warn("database was replaced; opening the new file", "path", d.Path)
		d.Reopen()
	}
	return applied, err
}

// foresee sets the outcomes of the batch from the ledger. Nobody else learns meanwhile, or where other processes
// do, a document that one of them has just learned is still learned only once.
func (d *Database) foresee(c *classify.Classifier, batch []*Training) error {
	if d.Follows() && d.auto.stale() {
		d.auto = nil
	}
	return c.Store().View(func(s *store.Snapshot) error {
		if d.auto == nil && slices.ContainsFunc(batch, func(t *Training) bool { return t.Share != nil }) {
			var err error
			if d.auto, err = countAuto(s); err != nil {
				return err
			}
		}
		for _, t := range batch {
			entry, err := s.Entry(t.Doc.ID)
			if err != nil {
				return err
			}
			if t.foresee(entry); t.ByID {
				if err := t.move(s, entry); err != nil {
					return err
				}
			}
			if d.auto == nil {
				continue
			}
			if t.Share != nil && t.Outcome == backend.Learned && !d.auto.may(t.Share, s.Classes(), t.Class) {
				t.Outcome = backend.Unchanged
			}
			d.auto.change(t)
		}
		return nil
	})
}
