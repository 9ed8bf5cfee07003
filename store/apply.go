package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/layout"
)

// Apply changes the counts by d, all of it or, with an error, nothing, and returns when the
// change is on disk. Concurrent callers share a transaction. The error wraps
// count.ErrNotLearned, ErrNoCounts, ErrNoClass, ErrReadOnly, ErrReplaced or a
// *count.AttributeError where one of them says what is wrong.
func (db *DB) Apply(d *Delta) (Applied, error) {
	if d.Keep != 0 && !d.Keep.Valid() {
		return Applied{}, db.fail(fmt.Errorf("%s: %w", d.Keep, count.ErrInvalid))
	}
	return db.apply(context.Background(), d)
}

// apply is Apply until ctx ends, which a Delta of many documents heeds.
func (db *DB) apply(ctx context.Context, d *Delta) (Applied, error) {
	r := &request{ctx: ctx, delta: d}
	err := db.submit(r)
	return r.applied, err
}

// PutState stores values by key beside the counts; nil removes one. Their meaning is the
// caller's: fitted parameters, settings.
func (db *DB) PutState(values map[string][]byte) error {
	for key, value := range values {
		if key == "" || len(key) > bolt.MaxKeySize || len(value) > bolt.MaxValueSize {
			return db.fail(fmt.Errorf("state %.40q of %d bytes: %w", key, len(value), count.ErrInvalid))
		}
	}
	return db.submit(&request{state: values})
}

// submit queues requests, waits for them, and returns the error of the last. A caller that
// finds no writer writes for all that wait, and then lets the one write that has waited longest.
// There is no timer, and a lone trainer waits for nobody.
func (db *DB) submit(rs ...*request) error {
	if db.options.ReadOnly {
		return db.fail(ErrReadOnly)
	}
	r := rs[len(rs)-1]
	r.done = make(chan struct{})
	defer db.releaseLater()
	db.queue.add(rs...)
	for {
		select {
		case <-r.done:
			return db.fail(r.err)
		case db.queue.turn <- struct{}{}:
			db.serve(r)
		}
	}
}

// errAbandoned is returned when the caller that was writing for others has panicked before.
var errAbandoned = errors.New("nothing was changed: the training that this one shared a transaction with has failed")

// serve writes the requests of the next transaction, unless r is finished, and gives the turn back.
func (db *DB) serve(r *request) {
	defer func() { <-db.queue.turn }()
	if r.finished {
		return
	}
	db.commit.Lock()
	defer db.commit.Unlock()
	defer db.releaseIfAwaited()
	var err error
	batch := db.queue.take(db.tuning())
	defer func() {
		for _, r := range batch {
			if r.finished = true; r.err == nil && err != nil {
				r.err, r.applied = err, Applied{}
			}
			if r.done != nil {
				close(r.done)
			}
		}
	}()
	if err = db.reopen(); err == nil {
		err = errAbandoned // should it panic
		err = db.write(batch)
	}
}

// write carries out the requests in one transaction, or returns an error and none was.
func (db *DB) write(batch []*request) (err error) {
	defer fault.Guard(&err, "")()
	return db.orForget(func() error {
		r := batch[0]
		if !r.many(db.tuning()) {
			return db.writeFew(batch)
		}
		err := db.writeMany(r)
		if r.position == 0 || !isRefusal(err) {
			return err
		}
		db.forgetMemory()
		r.refuse(err)
		return db.writeFew([]*request{{delta: new(Delta), position: r.position}})
	})
}

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

// Add adds what b says was changed beside a.
func (a *Applied) Add(b Applied) {
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
	if errors.As(err, new(*CorruptError)) {
		return false
	}
	refusals := []error{count.ErrNotLearned, ErrNoCounts, ErrNoClass, ErrOverlap, ErrLoaded, count.ErrInvalid}
	return errors.As(err, new(*count.AttributeError)) || slices.ContainsFunc(refusals, func(e error) bool { return errors.Is(err, e) })
}

func mustNotFollow(tx layout.Tx) error {
	s, err := tx.Stream()
	if err == nil && s != nil {
		err = fmt.Errorf("%w, %s", ErrFollows, s)
	}
	return err
}
