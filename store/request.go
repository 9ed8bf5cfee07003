package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/layout"
)

// Applied says what a Delta has changed. Documents that were there already, a position that
// was applied before, or a Delta refused at its position, are success and change nothing.
type Applied struct {
	Learned   int  // documents that are new
	Moved     int  // documents that were learned as another class
	Forgotten int  // documents taken away
	Already   int  // documents that were learned as this class before
	Twice     int  // documents that count twice; see MergeOptions.Twice
	Skipped   bool // the position was applied before

	// Refused is the reason why a Delta at a position changed nothing although the position
	// moved on, an error of Apply: the counts and the ledger do not allow it. All databases
	// with the same log refuse the same Deltas.
	Refused error

	// Conflicts are documents given to Add that stay in another class, because the ledger
	// keeps only a digest of their counts and the given counts differ: a copy of a message
	// with other headers.
	Conflicts []count.DocID
}

func (a *Applied) add(b Applied) {
	a.Learned += b.Learned
	a.Moved += b.Moved
	a.Forgotten += b.Forgotten
	a.Already += b.Already
	a.Twice += b.Twice
	a.Conflicts = append(a.Conflicts, b.Conflicts...)
}

// request is the work of one caller.
type request struct {
	ctx      context.Context // of a delta
	delta    *Delta
	position uint64
	state    map[string][]byte
	before   *request // of the same log: where it fails, this one does too

	applied  Applied
	err      error
	finished bool
	done     chan struct{} // of the last request of a caller: closed when it is finished
}

// many reports whether the request is summed in memory and merged into all tables at once.
func (r *request) many(t *tuning) bool {
	return r.delta != nil && (len(r.delta.steps) >= t.manySteps || len(r.delta.sums) > 0)
}

// queue holds the requests that no writer has taken yet.
type queue struct {
	mu      sync.Mutex
	waiting []*request
	turn    chan struct{} // whoever has sent to it may write
}

func (q *queue) add(rs ...*request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, rs...)
}

// take returns the requests of the next transaction: one of many documents, or those of few that
// come before one.
func (q *queue) take(t *tuning) []*request {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := slices.IndexFunc(q.waiting, func(r *request) bool { return r.many(t) })
	if n < 0 {
		n = len(q.waiting)
	}
	n = max(n, 1)
	batch := slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n)
	return batch
}

// skips reports whether the Delta of r was applied before. It returns an error if none may be
// applied: one before it in the log was not, or the database follows a log and r has no
// position.
func (r *request) skips(tx layout.Tx) (bool, error) {
	switch {
	case r.before != nil && r.before.err != nil:
		return false, r.before.err
	case r.delta == nil:
		return false, nil
	case r.position == 0:
		return false, mustNotFollow(tx)
	}
	last, err := tx.Position()
	return r.position <= last, err
}

// refuse makes the request one that changes nothing but the position.
func (r *request) refuse(why error) { r.applied, r.err = Applied{Refused: why}, nil }

// isRefusal reports whether a Delta has failed because it does not fit these counts and this
// ledger, so that it fails on every equal database.
func isRefusal(err error) bool {
	var damage *CorruptError
	var kind *count.AttributeError
	if errors.As(err, &damage) {
		return false
	}
	for _, e := range []error{count.ErrNotLearned, ErrNoCounts, ErrNoClass, ErrOverlap, ErrLoaded, count.ErrInvalid} {
		if errors.Is(err, e) {
			return true
		}
	}
	return errors.As(err, &kind)
}

// mustNotFollow returns ErrFollows if the database follows a log.
func mustNotFollow(tx layout.Tx) error {
	s, err := tx.Stream()
	if err == nil && s != nil {
		err = fmt.Errorf("%w, %s", ErrFollows, s)
	}
	return err
}
