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
	Only  *classify.Query // forget it only if this selects it

	Do func(*classify.Classifier) error // if not nil, called instead of learning

	// Set when the training is done.
	Outcome backend.Outcome
	From    string // its class in the ledger before, "" if it was not learned
	Err     error

	counted *count.Document // the ledger's counts, if Doc is only an ID to be moved
	after   func()
	done    chan struct{}
}

// Wait waits until the training is done.
func (t *Training) Wait(ctx context.Context) (backend.Outcome, error) {
	select {
	case <-t.done:
		return t.Outcome, t.Err
	case <-ctx.Done():
		return 0, ctx.Err()
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

// foresee sets the outcome of t, given its entry in the ledger or nil.
func (t *Training) foresee(entry *store.Entry) {
	t.Err, t.From, t.counted = nil, "", nil
	if entry != nil {
		t.From = entry.Class
	}
	switch {
	case entry == nil && t.Class == "" && !t.ByID, t.Only != nil && (entry == nil || !t.Only.Selects(entry)),
		entry != nil && t.ByID && entry.Class == t.Class:
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
	default:
		t.Outcome = backend.Unchanged
	}
}

// dependsOnLedger reports whether the foreseen outcome depends on whether the ledger has the
// document.
func (t *Training) dependsOnLedger() bool { return t.Outcome != backend.Learned || t.ByID }

// document returns the ledger's document for t's ID, with the source of the teacher who moves it.
func (t *Training) document(s *store.Snapshot) (*count.Document, error) {
	doc, err := s.Document(t.Doc.ID)
	if err == nil {
		doc.Class, doc.Source, doc.Time = t.Class, t.Doc.Source, time.Now()
	}
	return doc, err
}

// add puts t into a transaction.
func (t *Training) add(b *classify.Batch) error {
	switch {
	case t.Outcome == backend.Unchanged:
		return nil
	case t.ByID:
		if t.counted == nil {
			b.Delta().Forget(t.Doc.ID)
			return nil
		}
		return b.Delta().Add(*t.counted)
	case t.Outcome == backend.Forgotten:
		return b.Forget(t.Doc)
	}
	return b.Train(t.Class, t.Doc)
}

// refused reports whether an error is about a document and not about the database.
func refused(err error) bool {
	var kind *count.AttributeError
	return errors.As(err, &kind) || errors.Is(err, store.ErrNoCounts) || errors.Is(err, store.ErrNoClass) ||
		errors.Is(err, count.ErrInvalid) || errors.Is(err, count.ErrNotLearned)
}
