package learn

import (
	"context"
	"errors"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// A Training is one message that is to be learned or forgotten.
type Training struct {
	Doc   classify.Document
	Class string          // "" to forget it
	ByID  bool            // Doc is only an ID, of a document that the ledger must have
	Only  *classify.Query // take it back only if this does, to the class that it had before
	Share *Auto           // not nil if it is learned automatically, within these limits

	Do func(*classify.Classifier) error // if not nil, called instead of learning

	// Set when the training is done.
	Outcome backend.Outcome
	From    string // its class in the ledger before, "" if it was not learned
	Err     error

	counted  *count.Document // the ledger's counts, if Doc is only an ID to be moved
	was      string          // its source in the ledger before
	confirms bool            // it is learned anew, under its own source
	after    func()
	done     chan struct{}
}

// Wait waits until the training is done, and returns its error.
func (t *Training) Wait(ctx context.Context) error {
	select {
	case <-t.done:
		return t.Err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Done reports whether the training was queued and is done.
func (t *Training) Done() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

// foresee sets the outcome of t, given its entry in the ledger or nil. Teaching a document that was learned
// automatically changes its source; nothing in the ledger is learned automatically again.
func (t *Training) foresee(entry *store.Entry) {
	t.Err, t.was, t.From, t.confirms, t.counted = nil, "", "", false, nil
	if entry != nil {
		t.was, t.From = entry.Source, entry.Class
	}
	switch {
	case entry == nil && t.Class == "" && !t.ByID, entry != nil && t.Share != nil, entry == nil && t.Only != nil,
		entry != nil && t.ByID && entry.Class == t.Class && t.was != backend.AutoSource:
		t.Outcome = backend.Unchanged
	case entry == nil && t.ByID:
		t.Outcome, t.Err = backend.Unchanged, count.ErrNotLearned
	case t.ByID && entry.Keep != count.LedgerFull:
		t.Outcome, t.Err = backend.Unchanged, store.ErrNoCounts
	case entry == nil:
		t.Outcome = backend.Learned
	case t.Class == "":
		t.Outcome = backend.Forgotten
	case entry.Class != t.Class:
		t.Outcome = backend.Moved
	case t.was == backend.AutoSource && entry.Keep == count.LedgerFull:
		t.Outcome, t.confirms = backend.Learned, true
	default:
		t.Outcome = backend.Unchanged
	}
}

// dependsOnLedger reports whether somebody waits for an outcome that another's training would change.
func (t *Training) dependsOnLedger() bool {
	return t.Share == nil && (t.Outcome != backend.Learned || t.ByID || t.confirms)
}

// move sets counted to the ledger's document for t's ID where t moves it: with the source of the
// teacher or, where t takes back a move, as it was before.
func (t *Training) move(s *store.Snapshot, entry *store.Entry) (err error) {
	to := &store.Entry{Class: t.Class, Source: t.Doc.Source, Time: time.Now()}
	if t.Only != nil && t.Outcome == backend.Forgotten {
		before, is := t.Only.TakesBack(s, entry)
		switch {
		case !is:
			t.Outcome = backend.Unchanged
		case before != nil:
			t.Outcome, to = backend.Moved, before
		}
	}
	if t.Outcome == backend.Unchanged || t.Outcome == backend.Forgotten {
		return nil
	}
	if t.counted, err = s.Document(t.Doc.ID); err == nil {
		t.counted.Class, t.counted.Source, t.counted.Time = to.Class, to.Source, to.Time
	}
	return err
}

func (t *Training) add(b *classify.Batch) error {
	switch {
	case t.Outcome == backend.Unchanged:
		return nil
	case t.ByID:
		if t.counted == nil || t.confirms {
			b.Delta().Forget(t.Doc.ID)
		}
		if t.counted == nil {
			return nil
		}
		return b.Delta().Add(*t.counted)
	case t.Outcome == backend.Forgotten:
		return b.Forget(t.Doc)
	case t.confirms:
		// The ledger keeps the first source.
		if err := b.Forget(t.Doc); err != nil {
			return err
		}
	}
	return b.Train(t.Class, t.Doc)
}

// change counts what a training changes of the automatically learned documents.
func (n *autoCounts) change(t *Training) {
	switch {
	case t.Outcome == backend.Unchanged:
	case t.Share != nil:
		n.add(t.Class, 1)
	case t.was == backend.AutoSource:
		n.add(t.From, -1)
	}
}

// refused reports whether an error is about a document and not about the database.
func refused(err error) bool {
	return errors.As(err, new(*count.AttributeError)) || errors.Is(err, store.ErrNoCounts) || errors.Is(err, store.ErrNoClass) ||
		errors.Is(err, count.ErrInvalid) || errors.Is(err, count.ErrNotLearned)
}
