package store

import (
	"fmt"

	"github.com/polya-classifier/polya/store/internal/pages"
)

// This file is for a commit that fails at its very end. bbolt writes a page of meta
// data last, which makes the file that of the new transaction, and waits for the
// disk. If the disk then reports an error, everybody sees the new transaction and
// nobody knows whether it is on the disk: Linux forgets pages that it could not
// write. bbolt would go on from there and write over pages of the transaction
// before, which are all there is after a power failure.
//
// So the page is written once more, as that of the transaction before. bbolt's list
// of free pages is wrong from then on, and before the next transaction the file is
// written anew.

// settle does what is left to do after a failed commit before there can be another.
func (db *DB) settle() error {
	if db.undo != 0 {
		if err := db.takeBack(); err != nil {
			return err
		}
	}
	if !db.spoiled {
		return nil
	}
	if err := db.rememberAgain(db.renew); err != nil {
		return fmt.Errorf("nothing was changed: the disk has failed before, and the file cannot be written anew: %w", err)
	}
	return nil
}

// show makes sure that readers do not see a transaction that is to be taken back.
func (db *DB) show() error {
	if !db.hidden.Load() {
		return nil
	}
	db.commit.Lock()
	defer db.commit.Unlock()
	if !db.hidden.Load() {
		return nil
	}
	return db.fail(db.takeBack())
}

// takeBack makes transaction db.undo one that never was. It may be called again
// when it has failed.
func (db *DB) takeBack() error {
	err := db.writeMetaBefore()
	if err != nil {
		return fmt.Errorf("a change that could not be brought to the disk could not be taken back either: %w", withAdvice(plainPathError(err)))
	}
	db.undo = 0
	db.lock.Share()
	return plainPathError(db.stand())
}

// writeMetaBefore makes the file that of the transaction before db.undo, and waits for
// the disk.
func (db *DB) writeMetaBefore() error {
	f := db.lock.File()
	if err := pages.TakeBack(f, db.undo); err != nil {
		return err
	}
	db.hidden.Store(false)
	return f.Sync()
}
