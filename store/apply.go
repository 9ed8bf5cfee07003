package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/table"
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

	// Refused is the reason why a Delta at a position changed nothing although the position
	// moved on: it wraps count.ErrNotLearned, ErrNoCounts or another error of Apply for a
	// Delta that the counts and the ledger do not allow. All databases with the same log
	// refuse the same Deltas.
	Refused error

	// Conflicts are documents given to Add that stay in the other class as which they were
	// learned, because the ledger keeps only a digest of their counts and the given counts
	// differ: a copy of a message with other headers.
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

// Apply changes the counts by d, all of it or, with an error, nothing, and returns when
// the change is on disk. Concurrent callers share a transaction. The error wraps
// count.ErrNotLearned, ErrNoCounts, ErrNoClass, ErrReadOnly, ErrReplaced or a
// *count.AttributeError where one of them says what is wrong.
func (db *DB) Apply(d *Delta) (Applied, error) { return db.applyAt(d, 0) }

// applyAt is Apply for a Delta at a position of a log, or at 0; see ApplyLog.
func (db *DB) applyAt(d *Delta, position uint64) (Applied, error) {
	if d.Keep != 0 && !d.Keep.Valid() {
		return Applied{}, db.fail(fmt.Errorf("%s: %w", d.Keep, count.ErrInvalid))
	}
	return db.apply(context.Background(), d, position)
}

// apply is applyAt until ctx ends, which a Delta of many documents heeds.
func (db *DB) apply(ctx context.Context, d *Delta, position uint64) (Applied, error) {
	r := &request{ctx: ctx, delta: d, position: position}
	if len(d.steps) <= fewHashed {
		r.hash(&db.header.Key)
		defer r.recycle()
	}
	err := db.submit(r)
	return r.applied, err
}

// fewHashed is the greatest number of documents of a request that its caller hashes, which
// takes 100 bytes of memory for each term.
const fewHashed = 8

// hash hashes the terms of the learned documents, before others have to wait for that.
func (r *request) hash(key *table.Key) {
	r.terms = make([]*rows.Terms, len(r.delta.steps))
	for i := range r.delta.steps {
		if s := &r.delta.steps[i]; s.kind == stepAdd || s.kind == stepNew {
			r.terms[i] = termsPool.Get().(*rows.Terms)
			r.terms[i].Set(key, s.doc)
		}
	}
}

func (r *request) recycle() {
	for _, t := range r.terms {
		if t != nil && cap(t.Steps) <= maxStaged {
			t.Doc = encoded.Document{}
			termsPool.Put(t)
		}
	}
}

var termsPool = sync.Pool{New: func() any { return new(rows.Terms) }}

// documentTerms returns the terms of the document of step i, nil if they were not hashed.
func (r *request) documentTerms(i int) *rows.Terms {
	if i >= len(r.terms) {
		return nil
	}
	return r.terms[i]
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
	terms    []*rows.Terms // of the documents of delta, or nil
	state    map[string][]byte
	before   *request // of the same log: where it fails, this one does too

	applied  Applied
	err      error
	finished bool

	turn chan bool // of the last request of a caller: true, it is his turn to write; false, it is done
}

// finish wakes the caller of the request.
func (r *request) finish() {
	if r.turn != nil {
		r.turn <- false // which has room for one
	}
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
	writer  bool // somebody writes, or is about to
}

// add returns whether it is the caller's turn to write.
func (q *queue) add(rs ...*request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, rs...)
	mine := !q.writer
	q.writer = true
	return mine
}

// pass makes it the turn of whoever has waited longest.
func (q *queue) pass() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range q.waiting {
		if r.turn != nil {
			r.turn <- true
			return
		}
	}
	q.writer = false
}

func (q *queue) take() []*request {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := q.waiting
	q.waiting = nil
	return w
}

// submit queues requests and waits for them, and returns the error of the last. A caller
// that finds no writer writes for all that wait, and then passes the turn on to the first
// that has queued meanwhile: nobody waits for a timer, and a lone trainer waits for nobody.
func (db *DB) submit(rs ...*request) error {
	if db.options.ReadOnly {
		return db.fail(ErrReadOnly)
	}
	r := rs[len(rs)-1]
	r.turn = make(chan bool, 1)
	defer db.rest()
	if db.queue.add(rs...) || <-r.turn {
		db.serveAll()
	}
	if !r.finished {
		return db.fail(errAbandoned)
	}
	return db.fail(r.err)
}

// serveAll writes all requests that wait.
func (db *DB) serveAll() {
	defer db.queue.pass()
	db.commit.Lock()
	defer db.commit.Unlock()
	batch := db.queue.take()
	defer func() {
		for _, r := range batch {
			if !r.finished {
				r.finish()
			}
		}
	}()
	err := db.reopen()
	if err == nil {
		db.serve(batch)
	}
	for _, r := range batch {
		if err != nil {
			r.finished, r.err = true, err
			r.finish()
		}
	}
	if err == nil && db.inTheWay() {
		_ = db.release(false) // or the next training says what is wrong
	}
}

// errAbandoned is returned when the caller that was writing for others has panicked before
// it reached their requests.
var errAbandoned = errors.New("nothing was changed: the training that this one shared a transaction with has failed")

// serve writes the requests in order: requests of few documents together.
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
			r.finish()
		}
		batch = batch[n:]
	}
}

// write carries out the requests in one transaction. If the transaction fails it returns
// the error, and no request was carried out.
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
