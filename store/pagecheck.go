package store

import (
	"io"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/damage"
	"github.com/polya-classifier/polya/store/internal/pages"
)

// This file says which pages of the file are looked at, and when.

// checkFile checks all pages of the database's file, while nobody writes it, but for
// those of meta data.
func (db *DB) checkFile() error { return db.inFile(pages.Check) }

// checkMetas checks the pages of meta data, while nobody writes them. One that is
// damaged does no harm but that the last transaction may be missing: its last act
// was to write one of them.
func (db *DB) checkMetas() error {
	return db.inFile(func(f io.ReaderAt) error { return pages.ReadMetas(f).Damage })
}

// checkWhole checks all pages, of what is going to be handed on as the whole database.
func (db *DB) checkWhole() (err error) {
	defer damage.Guard(&err, "")()
	db.commit.Lock()
	defer db.commit.Unlock()
	db.mu.RLock()
	closed := db.closed
	db.mu.RUnlock()
	if closed {
		return ErrClosed
	}
	if err := db.reopen(); err != nil {
		return err
	}
	if err := db.checkFile(); err != nil {
		return err
	}
	return db.checkMetas()
}

// inFile calls f, whose error is damage, with the database's file.
func (db *DB) inFile(f func(io.ReaderAt) error) error { return damage.Page(f(db.lock.File())) }

// checkHeads checks the headers of all leaves, once, before pages are written all over
// the file. A training alone writes but few, whose headers are looked at when
// the file is opened. It is called in a transaction that has written nothing yet.
func (db *DB) checkHeads() error {
	if db.headed.Load() {
		return nil
	}
	err := db.inFile(pages.CheckHeads)
	db.headed.Store(err == nil)
	return err
}

// checkLeaf checks the leaf of a bucket where key is, in the state that tx began with:
// what a training changes far from the end of the log, where nobody has looked yet.
func (db *DB) checkLeaf(tx *bolt.Tx, bucket, key []byte) error {
	root := uint64(tx.Bucket(bucket).Root())
	if root == 0 {
		return nil // it lies in the bucket of buckets, which is looked at on opening
	}
	size := db.bolt.Info().PageSize
	return db.inFile(func(f io.ReaderAt) error {
		return pages.CheckLeaf(f, size, uint64(tx.Size())/uint64(size), root, key)
	})
}
