package store

import (
	"context"
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/fault"
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
// finds no writer writes for all that wait, and passes the turn on to the first that has
// queued meanwhile. There is no timer, and a lone trainer waits for nobody.
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
	if err == nil {
		db.makeWay()
	}
}

// errAbandoned is returned when the caller that was writing for others has panicked before.
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

// write carries out the requests in one transaction, or returns an error and none was.
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
