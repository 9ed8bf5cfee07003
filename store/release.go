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

// This file is how a process that computes for long lets others train meanwhile: it
// gives the file back, as Close does, and opens it again for what comes next.

// restAfter is after how much time without use a file is released.
const restAfter = 50 * time.Millisecond

// rest has the file released, in a while, if nobody uses it.
func (db *DB) rest() {
	if db.resting != nil {
		db.resting.Reset(restAfter)
	}
}

// giveBack gives the file to other processes until the next call of any method that
// reads or changes the database, which waits for it as Open does and goes on from what
// is there then. It does nothing without Options.Share, where the system cannot share
// files between processes that write, and while a View is under way. Only if it may shrink
// the file does it look at what that has to spare.
func (db *DB) giveBack(shrink bool) (err error) {
	defer fault.Guard(&err, db.path)()
	db.commit.Lock()
	defer db.commit.Unlock()
	return db.fail(db.release(shrink))
}

// release is giveBack for a caller that holds db.commit.
func (db *DB) release(shrink bool) error {
	if !db.options.Share || db.closed || db.file == nil || !db.file.Fair() || !db.file.Sound() {
		return nil
	}
	if db.file.Changed() && db.file.InPlace() == nil { // or it is left as somebody else has made it
		if shrink {
			db.mergeClosing()
			db.shrinkClosing()
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

// inTheWay returns whether another process waits until this one lets it: to commit, if this
// one only reads, and else to train, if this one has had the file for long enough that
// opening it again costs little beside. Whoever calls it holds db.mu or db.commit.
func (db *DB) inTheWay() bool {
	if !db.options.Share || db.closed || db.file == nil || !db.file.Idle() {
		return false
	}
	return db.file.InTheWay(restAfter)
}

var errOther = errors.New("another database has taken its place; open it anew")

// reopen opens the file again that was released. Whoever calls it holds db.commit.
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
	db.rest() // whoever asked may have no View that ends
	db.listing.Lock()
	db.listed = nil // it leads into the mapping that has gone
	db.listing.Unlock()
	return nil
}

// Aside calls f with a Snapshot of a copy of the file, for what takes long: other processes
// may train meanwhile, and afterwards until this one uses the database again. Without
// Options.Share, and where no copy can be made, it is View.
func (db *DB) Aside(f func(*Snapshot) error) error {
	c, err := db.aside()
	if err != nil {
		return err
	}
	if c == nil {
		return db.View(f)
	}
	defer c.Close()
	return c.View(f)
}

// aside copies the file and releases it; nil if that cannot be done. The copy has no name.
func (db *DB) aside() (aside *DB, err error) {
	err = db.locked(func(f *file.File) error {
		if !db.options.Share || !f.Fair() || !f.Idle() {
			return nil
		}
		if f.Changed() && f.InPlace() == nil {
			f.ListFree() // or it would be done after the copy
		}
		c := &DB{path: db.path, options: db.options}
		c.options.ReadOnly, c.options.Share = true, false
		if c.file, err = f.OpenAside(c.readMeta); err != nil {
			return nil // there is no room; the database itself does as well
		}
		if err := db.release(false); err != nil {
			c.Close()
			return err
		}
		c.left, aside = db.left, c
		return nil
	})
	return aside, err
}

// Claim returns whether this process is now the only one that has claimed the right to do
// something about the database that need not be done twice, and returns what gives that
// back. Where the system has no such claims everybody has it.
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
