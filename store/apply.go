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

// Applied says what a Delta has changed. Documents that were there already, a
// position that was applied before, or a Delta refused at its position, are success
// and change nothing.
type Applied struct {
	Learned   int  // documents that are new
	Moved     int  // documents that were learned as another class
	Forgotten int  // documents taken away
	Already   int  // documents that were learned as this class before
	Twice     int  // documents that count twice; see MergeOptions.Twice
	Skipped   bool // the position was applied before

	// Refused is why a Delta at a position changes nothing, although the position has
	// moved on: it wraps count.ErrNotLearned, ErrNoCounts, or what else Apply returns of a
	// Delta that the counts and the ledger do not allow. Whoever has the same log refuses
	// the same.
	Refused error

	// Conflicts are documents given to Add that are learned as another class
	// and stay so, because the ledger keeps but a digest of their counts and
	// what was given is not the same: a copy of a message with other headers.
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

// Apply changes the counts by d, all of it or, with an error, nothing, and
// returns when the change is on the disk. Callers at the same time share a
// transaction. The error wraps count.ErrNotLearned, ErrNoCounts, ErrNoClass, ErrReadOnly,
// ErrReplaced or a *count.AttributeError where one of them says what is wrong.
func (db *DB) Apply(d *Delta) (Applied, error) { return db.ApplyAt(d, 0) }

// ApplyAt is Apply for a Delta at a position, above 0, of an ordered log that
// somebody else keeps: the position is kept in the same transaction, and a
// Delta at or before it is skipped, so that each is applied exactly once. A Delta
// that the counts do not allow is refused and done with: nothing but the position
// changes, Applied.Refused says why, and the error is nil. With an error the position
// is where it was, and the Delta is to be applied again. See also ApplyLog and Follow.
func (db *DB) ApplyAt(d *Delta, position uint64) (Applied, error) {
	if d.Keep != 0 && !d.Keep.Valid() {
		return Applied{}, db.fail(fmt.Errorf("%s: %w", d.Keep, count.ErrInvalid))
	}
	return db.apply(context.Background(), d, position)
}

// apply is ApplyAt until ctx ends, which a Delta of many documents heeds.
func (db *DB) apply(ctx context.Context, d *Delta, position uint64) (Applied, error) {
	r := &request{ctx: ctx, delta: d, position: position}
	err := db.submit(r)
	return r.applied, err
}

// PutState keeps value under key beside the counts; nil removes it. What the
// values mean is the caller's affair: fitted parameters, settings.
func (db *DB) PutState(values map[string][]byte) error {
	for key, value := range values {
		if key == "" || len(key) > bolt.MaxKeySize || len(value) > bolt.MaxValueSize {
			return db.fail(fmt.Errorf("state %.40q of %d bytes: %w", key, len(value), count.ErrInvalid))
		}
	}
	return db.submit(&request{state: values})
}

// request is what one caller waits for.
type request struct {
	ctx      context.Context // of a delta
	delta    *Delta
	position uint64
	state    map[string][]byte
	before   *request // of the same log: where it fails, this one does too

	applied  Applied
	err      error
	finished bool
}

// many reports whether the request is better summed in memory and brought into
// all tables at once than logged document by document.
func (r *request) many(t *tuning) bool {
	return r.delta != nil && (len(r.delta.steps) >= t.manySteps || len(r.delta.sums) > 0 || r.delta.notes())
}

// takes reports whether the request may take documents away that no ledger knows.
func (r *request) takes() bool {
	return r.delta != nil && slices.ContainsFunc(r.delta.steps, func(s step) bool { return s.kind != stepAdd && s.kind != stepNew })
}

func (d *Delta) notes() bool {
	return slices.ContainsFunc(d.steps, func(s step) bool { return s.kind.notes() })
}

// queue holds the requests that wait for somebody to write them.
type queue struct {
	mu      sync.Mutex
	waiting []*request
}

func (q *queue) add(rs ...*request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, rs...)
}

func (q *queue) take() []*request {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := q.waiting
	q.waiting = nil
	return w
}

// submit queues requests and waits for them, and returns the error of the last. Whoever
// finds the lock free writes all that wait: nobody waits for a timer, and a lone trainer
// for nobody.
func (db *DB) submit(rs ...*request) error {
	if db.options.ReadOnly {
		return db.fail(ErrReadOnly)
	}
	r := rs[len(rs)-1]
	db.queue.add(rs...)
	defer db.rest()
	db.commit.Lock()
	defer db.commit.Unlock()
	if !r.finished {
		if err := db.reopen(); err != nil {
			for _, waiting := range db.queue.take() {
				waiting.finished, waiting.err = true, err
			}
		} else {
			db.serve(db.queue.take())
			if db.inTheWay() {
				_ = db.release(false) // or the next training says what is wrong
			}
		}
	}
	if !r.finished {
		return db.fail(errAbandoned)
	}
	return db.fail(r.err)
}

// errAbandoned is returned when the caller that was writing for others too has
// panicked before it came to them.
var errAbandoned = errors.New("nothing was changed: the training that this one shared a transaction with has failed")

// serve writes the requests in their order: those of few documents together.
func (db *DB) serve(batch []*request) {
	for len(batch) > 0 {
		n := 1
		if !batch[0].many(db.tuning()) {
			for n < len(batch) && !batch[n].many(db.tuning()) {
				n++
			}
		}
		err := db.write(batch[:n])
		for _, r := range batch[:n] {
			r.finished = true
			if r.err == nil && err != nil {
				r.err, r.applied = err, Applied{}
			}
		}
		batch = batch[n:]
	}
}

// write carries out the requests in one transaction. An error is that of the
// transaction: then none was carried out.
func (db *DB) write(batch []*request) (err error) {
	done := false
	defer func() {
		if err != nil || !done {
			db.forgetMemory()
		}
	}()
	defer fault.Guard(&err, "")()
	if r := batch[0]; r.many(db.tuning()) {
		if err = db.writeMany(r); r.position > 0 && isRefusal(err) {
			db.forgetMemory()
			r.refuse(err)
			err = db.writeFew([]*request{{delta: new(Delta), position: r.position}})
		}
	} else {
		err = db.writeFew(batch)
	}
	done = true
	return err
}

// forgetMemory makes the next call read the file again.
func (db *DB) forgetMemory() {
	db.mu.Lock()
	db.memory = nil
	db.mu.Unlock()
}

// skips reports whether the Delta of r was applied before. It returns an error if none may
// be applied: one before it in the log was not, or it has no position and the database
// follows a log.
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
