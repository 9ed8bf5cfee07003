package store

import (
	"errors"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/lock"
)

// This file lets other processes train while this one computes for long: it releases the
// file, as Close does, and opens it again for the next use.

// idleAfter is the time without use after which a file is released.
const idleAfter = 50 * time.Millisecond

// releaseLater releases the file after idleAfter without use.
func (db *DB) releaseLater() {
	if db.idle != nil {
		db.idle.Reset(idleAfter)
	}
}

// releaseNow releases the file to other processes until the next call of any method that
// reads or changes the database, which waits for it as Open does and continues with its
// then current state. It does nothing without Options.Share, on systems that cannot share
// files between writers, and while a View is running. It looks for free space only if
// shrink is set.
func (db *DB) releaseNow(shrink bool) (err error) {
	defer fault.Guard(&err, db.path)()
	db.commit.Lock()
	defer db.commit.Unlock()
	return db.fail(db.release(shrink && !db.growth.bulk))
}

// release is releaseNow for a caller that holds db.commit.
func (db *DB) release(shrink bool) error {
	if !db.options.Share || db.closed || db.file == nil || !db.file.Fair() || !db.file.Sound() {
		return nil
	}
	if db.file.Changed() && db.file.InPlace() == nil { // or it stays as somebody else has made it
		if shrink {
			db.tidy()
		}
		db.file.ListFree()
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if !db.file.Idle() {
		return nil
	}
	left, closed, err := db.file.Release()
	if closed {
		db.left, db.file = left, nil
	}
	return err
}

// awaited reports whether another process waits for this one: to commit, if this one only
// reads; else to train, if this one has held the file so long that reopening costs little
// in comparison. The caller holds db.mu or db.commit.
func (db *DB) awaited() bool {
	if !db.options.Share || db.closed || db.file == nil || !db.file.Idle() {
		return false
	}
	return db.file.Awaited(idleAfter)
}

// releaseIfAwaited releases the file if another process waits for it. The caller holds db.commit.
func (db *DB) releaseIfAwaited() {
	if db.awaited() {
		_ = db.release(false) // or the next call says what is wrong
	}
}

var errOther = errors.New("another database has taken its place; open it anew")

// reopen opens the released file again. The caller holds db.commit.
func (db *DB) reopen() error {
	if db.file != nil || db.closed { // only who holds db.commit changes them
		return nil
	}
	now := DB{path: db.place, place: db.place, options: db.options}
	now.options.MustExist = true
	if err := now.open(); err != nil {
		return err
	}
	if now.header.Key != db.header.Key || now.header.Ledger != db.header.Ledger || now.Tags() != db.Tags() || now.analyzer != db.analyzer {
		now.file.Discard()
		return errOther
	}
	same := now.file.Continue(db.left, func(tx *bolt.Tx) bool {
		return db.memory == nil || layout.Tx{Tx: tx}.LastSeq() == db.memory.newest().Seq
	})
	db.mu.Lock()
	defer db.mu.Unlock()
	db.file = now.file
	if !same {
		db.memory = nil
	}
	db.releaseLater() // whoever asked may have no View that ends
	return nil
}

// Detached calls f with a Snapshot of a copy of the file, for long computations: other
// processes may train meanwhile, and afterwards until this one uses the database again.
// Without Options.Share, and where no copy can be made, it is View.
func (db *DB) Detached(f func(*Snapshot) error) error {
	c, err := db.detached()
	if err != nil {
		return err
	}
	if c == nil {
		return db.View(f)
	}
	defer c.Close()
	return c.View(f)
}

// detached copies the file and releases it; nil if that cannot be done. The copy has no name.
func (db *DB) detached() (detached *DB, err error) {
	err = db.locked(func(f *file.File) error {
		if !db.options.Share || !f.Fair() || !f.Idle() {
			return nil
		}
		if f.Changed() && f.InPlace() == nil {
			f.ListFree() // or it would be done after the copy
		}
		c := &DB{path: db.path, options: db.options}
		c.options.ReadOnly, c.options.Share = true, false
		if c.file, err = f.OpenDetached(c.readMeta); err != nil {
			return nil // there is no space; the database itself does as well
		}
		if err := db.release(false); err != nil {
			c.Close()
			return err
		}
		detached = c
		return nil
	})
	return detached, err
}

// Claim claims the exclusive right to do some work for the database that need not be done
// twice, such as a fit. claimed reports whether this process has the right, and release
// returns it. On systems without such locks every process gets it.
func (db *DB) Claim() (release func(), claimed bool, err error) {
	release, err = lock.Claim(db.place)
	switch {
	case errors.Is(err, lock.ErrTimeout):
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("%s: %w", db.path, fault.Plain(err))
	}
	return release, true, nil
}
