package store

import (
	"bytes"
	"encoding/binary"
	"io"

	bolt "go.etcd.io/bbolt"
)

// This file says which pages of the file are looked at, and when.

// checkFile checks all pages of the database's file, while nobody writes it, but for
// those of meta data.
func (db *DB) checkFile() error { return db.inFile(checkPages) }

// checkMetas checks the pages of meta data, while nobody writes them. One that is
// damaged does no harm but that the last transaction may be missing: its last act
// was to write one of them.
func (db *DB) checkMetas() error {
	return db.inFile(func(f io.ReaderAt) error { return readMetas(f).damage })
}

// checkWhole is checkFile and checkMetas for who hands on what the file holds.
func (db *DB) checkWhole() (err error) {
	defer recoverFault(&err, "")
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
func (db *DB) inFile(f func(io.ReaderAt) error) error {
	if err := f(db.lock.File()); err != nil {
		return &CorruptError{What: "page of the file", Err: err}
	}
	return nil
}

// checkPages returns an error unless every page that can be reached is one.
func checkPages(f io.ReaderAt) error {
	m := readMetas(f).newest
	if !m.valid {
		return nil // bbolt says what is wrong
	}
	if err := m.checkSize(); err != nil {
		return err
	}
	w := pageWalk{f: f, size: m.pageSize, seen: make([]bool, m.pages), leaves: true}
	if _, _, err := w.page(m.root, nil, nil); err != nil || !m.listed {
		return err
	}
	_, _, err := w.freeList(m.free)
	return err
}

// checkBranches is checkPages without the leaves, but for those of the bucket of
// buckets: all that bbolt can go round in, and a hundredth of the pages. With free,
// the list of free pages is checked, of which whoever writes takes his: that there
// is one, and that none of it is in use.
func checkBranches(f io.ReaderAt, m boltMeta, free bool) error {
	if err := m.checkSize(); err != nil {
		return err
	}
	w := pageWalk{f: f, size: m.pageSize, seen: make([]bool, m.pages), free: free}
	return w.branches(m)
}

// checkHeads is checkBranches, once, with the headers of all leaves, for who is going
// to write pages all over the file: bbolt frees a page with those over which it says
// that it spreads. A training alone writes but few, whose headers are looked at when
// the file is opened. It is called in a transaction that has written nothing yet.
func (db *DB) checkHeads() error {
	if db.headed.Load() {
		return nil
	}
	err := db.inFile(func(f io.ReaderAt) error {
		m := readMetas(f).newest
		if err := m.checkSize(); !m.valid || err != nil {
			return err
		}
		w := pageWalk{f: f, size: m.pageSize, seen: make([]bool, m.pages), free: m.listed, all: true}
		return w.branches(m)
	})
	db.headed.Store(err == nil)
	return err
}

// checkLeaf checks the leaf of a bucket where key is, in the state that tx began with:
// what a training changes far from the end of the log, where nobody has looked yet.
func (db *DB) checkLeaf(tx *bolt.Tx, bucket, key []byte) error {
	id := uint64(tx.Bucket(bucket).Root())
	if id == 0 {
		return nil // it lies in the bucket of buckets, which is looked at on opening
	}
	return db.inFile(func(f io.ReaderAt) error {
		size := uint64(db.bolt.Info().PageSize)
		page := make([]byte, size)
		for range maxHeight {
			if id < 2 || id > uint64(tx.Size())/size {
				return &pageError{id, errBeyond}
			}
			if _, err := f.ReadAt(page, int64(id*size)); err != nil {
				return err
			}
			flags, overflow := binary.NativeEndian.Uint16(page[8:]), uint64(binary.NativeEndian.Uint32(page[12:]))
			switch {
			case binary.NativeEndian.Uint64(page) != id || overflow > uint64(tx.Size())/size:
				return &pageError{id, errHeader}
			case flags == flagLeaf:
				if err := sizes(page, (1+overflow)*size); err != nil {
					return &pageError{id, err}
				}
				return nil
			}
			child, ok := childOf(page, key)
			if flags != flagBranch || !ok {
				return &pageError{id, errHeader}
			}
			id = child
		}
		return errHeight
	})
}

// maxHeight is more than a tree of 2^64 pages has branches above each other, two
// pages to a branch.
const maxHeight = 64

// childOf returns the page that a branch leads to for key.
func childOf(page, key []byte) (child uint64, ok bool) {
	native, count := binary.NativeEndian, int(binary.NativeEndian.Uint16(page[10:]))
	for i := range count {
		at := uint64(pageHeader + i*pageElement)
		if at+pageElement > uint64(len(page)) {
			return 0, false
		}
		e := page[at : at+pageElement]
		from := at + uint64(native.Uint32(e))
		to := from + uint64(native.Uint32(e[4:]))
		if to > uint64(len(page)) {
			return 0, false
		}
		if i > 0 && bytes.Compare(page[from:to], key) > 0 {
			break
		}
		child, ok = native.Uint64(e[8:]), true
	}
	return child, ok
}
