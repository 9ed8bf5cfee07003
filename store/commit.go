package store

import (
	"fmt"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/layout"
)

// update runs f in a read-write transaction. If f gives a memory, readers begin
// either before the commit or when that has taken the old one's place. f is run
// again, in another transaction and beside memory that was read anew, if the file
// has to be mapped or written anew first.
func (db *DB) update(f func(layout.Tx) (*memory, error)) error {
	if err := db.ready(); err != nil {
		return err
	}
	err := db.try(f, false)
	if err != file.ErrNoRoom {
		return err
	}
	if err := db.rememberAgain(func() error { return nil }); err != nil {
		return err
	}
	if err = db.try(f, true); err != file.ErrNoRoom {
		return err
	}
	if err := db.rememberAgain(db.renew); err != nil {
		return fmt.Errorf("%w (and the file cannot be written anew: %w)", file.ErrNoRoom, err)
	}
	return db.try(f, true)
}

// ready takes back a commit that has failed, and writes the file anew if it needs that
// before the next transaction, or if readers keep too much of it. Where the latter cannot
// be done the file is left as it is, until as much again has come.
func (db *DB) ready() error {
	f, err := db.opened()
	if err != nil {
		return err
	}
	spoiled, err := f.Settle()
	if err != nil {
		return err
	}
	if spoiled {
		if err := db.rememberAgain(db.renew); err != nil {
			return fmt.Errorf("nothing was changed: the disk has failed before, and the file cannot be written anew: %w", err)
		}
	}
	if f, err = db.opened(); err != nil || !f.Pinned() {
		return err
	}
	overlay := db.memory != nil && db.memory.overlay != nil
	if db.renew() != nil {
		f.Leave()
	}
	return db.rememberLocked(overlay) // a new file has none, though its name may not be on the disk
}

// rememberAgain calls f, and reads the memory again that a failed transaction may have changed.
func (db *DB) rememberAgain(f func() error) error {
	overlay := db.memory != nil && db.memory.overlay != nil
	if err := f(); err != nil {
		return err
	}
	db.forgetMemory()
	return db.rememberLocked(overlay)
}

// try runs f in one transaction. It returns file.ErrNoRoom rather than wait for readers,
// for more than a moment, to end, and does not wait at all unless told to. If f returns
// errNothing there is nothing to commit.
func (db *DB) try(f func(layout.Tx) (*memory, error), wait bool) error {
	open, err := db.opened()
	if err != nil {
		return err
	}
	err = open.Update(&db.mu, wait, func(tx *bolt.Tx) (committed func(), err error) {
		if err := settleName(open, layout.Tx{Tx: tx}); err != nil {
			return nil, err
		}
		m, err := f(layout.Tx{Tx: tx})
		if err != nil || m == nil {
			return nil, fault.Bolt(err)
		}
		return func() { db.memory = m }, nil
	})
	if err == errNothing {
		return nil
	}
	return err
}

// settleName makes sure that what tx is going to write goes into a file that will
// still have its name. From the rename of a new file until the folder is on the disk a
// power failure may bring the old file back, and with the new one would go what has been
// learned in it since. So a file that is going to be renamed says that its name may not be
// on the disk. Whoever first changes it, this process or another, brings the name there and
// takes that back in one transaction.
func settleName(f *file.File, tx layout.Tx) error {
	if !tx.Unnamed() {
		return nil
	}
	if err := f.SyncName(); err != nil {
		return fmt.Errorf("nothing was changed: the name of the file cannot be brought to the disk: %w", fault.Advise(err))
	}
	return tx.SetUnnamed(false)
}
