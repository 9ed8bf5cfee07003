package store

import (
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// update runs f in a read-write transaction. If f gives a memory, readers begin
// either before the commit or when that has taken the old one's place. f is run
// again, in another transaction and beside memory that was read anew, if the file
// has to be mapped or written anew first.
func (db *DB) update(f func(*bolt.Tx) (*memory, error)) error {
	if err := db.ready(); err != nil {
		return err
	}
	err := db.try(f, false)
	if err != errNoRoom {
		return err
	}
	if err := db.rememberAgain(func() error { return nil }); err != nil {
		return err
	}
	if err = db.try(f, true); err != errNoRoom {
		return err
	}
	if err := db.rememberAgain(db.renew); err != nil {
		return fmt.Errorf("%w (and the file cannot be written anew: %w)", errNoRoom, err)
	}
	return db.try(f, true)
}

// ready writes the file anew if it needs that before the next transaction.
func (db *DB) ready() error {
	if err := db.settle(); err != nil {
		return err
	}
	return db.unpin()
}

// rememberAgain calls f, and reads the memory again that a transaction which failed
// may have changed.
func (db *DB) rememberAgain(f func() error) error {
	overlay := db.memory != nil && db.memory.overlay != nil
	if err := f(); err != nil {
		return err
	}
	db.forgetMemory()
	return db.rememberLocked(overlay)
}

// try runs f in one transaction. It returns errNoRoom rather than wait for readers,
// for more than a moment, to end, and does not wait at all unless told to.
func (db *DB) try(f func(*bolt.Tx) (*memory, error), wait bool) error {
	db.mu.RLock()
	b, closed := db.bolt, db.closed
	db.mu.RUnlock()
	if closed {
		return ErrClosed
	}
	if db.stuck {
		return &CorruptError{What: "page of the file"}
	}
	db.stuck = true
	tx, err := db.beginBolt(b, true)
	if err != nil {
		db.stuck = false
		return boltError(err)
	}
	defer func() {
		// After a commit this does nothing; after a panic in one it gives back
		// the lock that the next transaction waits for, if it does not panic too.
		tx.Rollback()
		db.stuck = false
	}()
	if err := db.settleName(tx); err != nil {
		return err
	}
	m, err := f(tx)
	if err != nil {
		return err
	}
	share, err := db.alone(db.options.timeout())
	if err != nil {
		return err
	}
	defer share()
	list := db.commits == 0
	b.NoFreelistSync = !list
	b.MaxSize = db.mappedSize(b, tx)
	if m != nil || wait {
		db.mu.Lock()
		defer db.mu.Unlock()
	}
	if wait && db.readers.wait(db.tuning().readerPatience) {
		b.MaxSize = 0 // as nobody reads, and nobody can begin to
	}
	if err := db.inPlace(); err != nil {
		return err
	}
	id := tx.ID()
	if err := tx.Commit(); err != nil {
		return db.failed(b, id, err)
	}
	if err := db.wrote(id); err != nil {
		return err
	}
	db.commits++
	db.unlisted = !list
	if m != nil {
		db.memory = m
	}
	return nil
}

// failed says why the commit of transaction id has failed, and sees to it that
// nothing has changed.
func (db *DB) failed(b *bolt.DB, id int, err error) error {
	defer func() { _ = db.stand() }() // what is in the pages of meta data is our doing
	if errors.Is(err, berrors.ErrMaxSizeReached) {
		return errNoRoom
	}
	out := fmt.Errorf("nothing was changed: %w", withAdvice(withoutPath(boltError(err), b.Path())))
	tx, err := b.Begin(false)
	if err != nil {
		return out
	}
	newest := tx.ID()
	tx.Rollback()
	if newest < id {
		return out // bbolt has not come to the page of meta data
	}
	db.undo, db.spoiled = uint64(id), true
	db.hidden.Store(true)
	if err := db.takeBack(); err != nil {
		return fmt.Errorf("it is not known whether something was changed: %w", err)
	}
	return out
}
