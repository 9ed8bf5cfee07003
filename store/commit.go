package store

import (
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/layout"
)

// update runs f in a read-write transaction. If f returns a memory, readers begin either
// before the commit or after that memory has replaced the old one. f is run again, in another
// transaction and with memory that was read again, if the file must first be mapped or
// rewritten.
func (db *DB) update(f func(layout.Tx) (*memory, error)) error {
	if err := db.ready(); err != nil {
		return err
	}
	err := db.try(f, false)
	if err != file.ErrNoSpace {
		return err
	}
	if err := db.rememberAgain(func() error { return nil }); err != nil {
		return err
	}
	if err = db.try(f, true); err != file.ErrNoSpace {
		return err
	}
	if err := db.rememberAgain(db.renew); err != nil {
		return fmt.Errorf("%w (and the file cannot be written anew: %w)", file.ErrNoSpace, err)
	}
	return db.try(f, true)
}

// ready undoes a failed commit, and rewrites the file if the next transaction needs that.
func (db *DB) ready() error {
	f, err := db.opened()
	if err != nil {
		return err
	}
	spoiled, err := f.Settle()
	if err != nil || !spoiled {
		return err
	}
	if err := db.rememberAgain(db.renew); err != nil {
		return fmt.Errorf("nothing was changed: the disk has failed before, and the file cannot be written anew: %w", err)
	}
	return nil
}

// rememberAgain calls f, and rereads the memory, which a failed transaction may have changed.
func (db *DB) rememberAgain(f func() error) error {
	overlay := db.memory != nil && db.memory.overlay != nil
	if err := f(); err != nil {
		return err
	}
	db.forgetMemory()
	return db.rememberLocked(overlay)
}

// try runs f in one transaction, and waits for readers as file.File.Update does.
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

// settleName makes sure that tx writes to a file whose name survives a power failure, which
// otherwise might bring back the file that a rename has replaced. So a file about to be
// renamed carries a mark; whoever changes it first syncs the folder and removes the mark in
// one transaction.
func settleName(f *file.File, tx layout.Tx) error {
	if !tx.Unnamed() {
		return nil
	}
	if err := f.SyncName(); err != nil {
		return fmt.Errorf("nothing was changed: the name of the file cannot be brought to the disk: %w", fault.Advise(err))
	}
	return tx.SetUnnamed(false)
}

// errNothing ends a transaction that has nothing to commit.
var errNothing = errors.New("nothing to do")

// admin runs f, which writes, alone.
func (db *DB) admin(f func() error) error {
	if db.options.ReadOnly {
		return db.fail(ErrReadOnly)
	}
	defer db.releaseLater()
	return db.locked(func(open *file.File) error {
		err := db.orForget(func() error {
			if err := open.InPlace(); err != nil {
				return err
			}
			return f()
		})
		if err == nil {
			db.releaseIfAwaited()
		}
		return err
	})
}
