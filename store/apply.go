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
// finds no writer writes for all that wait, and then lets the one write that has waited longest.
// There is no timer, and a lone trainer waits for nobody.
func (db *DB) submit(rs ...*request) error {
	if db.options.ReadOnly {
		return db.fail(ErrReadOnly)
	}
	r := rs[len(rs)-1]
	r.done = make(chan struct{})
	defer db.rest()
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
	defer db.makeWay()
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
