package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
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

var errOtherMetas = errors.New("the file has changed")

// writeMetaBefore writes over the page of meta data of transaction db.undo the other
// one, as that of an earlier transaction, and waits for the disk.
func (db *DB) writeMetaBefore() error {
	f := db.lock.File()
	size := uint64(readMetas(f).newest.pageSize)
	first, _, _ := readMeta(f, 0, 0)
	second, _, _ := readMeta(f, size, 1)
	id, other := uint64(0), second
	if second.tx == db.undo || !second.valid {
		id, other = 1, first
	}
	if !other.valid || other.tx >= db.undo || other.tx == 0 {
		return errOtherMetas
	}
	page := make([]byte, size)
	if _, err := f.ReadAt(page, int64((1-id)*size)); err != nil {
		return err
	}
	native := binary.NativeEndian
	native.PutUint64(page, id)
	native.PutUint64(page[64:], other.tx-1)
	sum := fnv.New64a()
	sum.Write(page[16:72])
	native.PutUint64(page[72:], sum.Sum64())
	if _, err := f.WriteAt(page, int64(id*size)); err != nil {
		return err
	}
	db.hidden.Store(false)
	return f.Sync()
}
