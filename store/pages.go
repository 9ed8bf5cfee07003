package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"os"
)

// This file looks at the structure of bbolt's pages before bbolt does, which
// ends the program on some that are damaged: opened for writing, and not told
// which pages are free, it walks through all pages in a goroutine of its own,
// where nobody can recover it.
// What is checked here is what that walk relies on, and no more.

// boltMagic opens a bbolt page of meta data, behind its header of 16 bytes.
const boltMagic = 0xED0CDAED

// boltMeta is what a page of meta data says of the file.
type boltMeta struct {
	valid    bool // its checksum holds
	pageSize uint64
	root     uint64 // page of the bucket of buckets
	pages    uint64 // the number of pages
	tx       uint64
	free     uint64 // page of the list of free pages
	listed   bool   // there is one: bbolt need not walk through all pages
}

// readMetas reads the two pages of meta data with which a file begins, of which
// one may be damaged. It returns the newer one, and whether there is any.
func readMetas(f io.ReaderAt) (newest boltMeta, found bool) {
	native := binary.NativeEndian
	// Pages are as large as those of the machine that made the file.
	for at := int64(0); at <= 64<<10; at = max(4096, 2*at) {
		var b [80]byte
		n, _ := f.ReadAt(b[:], at)
		if n < 20 || native.Uint32(b[16:]) != boltMagic {
			continue
		}
		found = true
		sum := fnv.New64a()
		sum.Write(b[16:72])
		m := boltMeta{true, uint64(native.Uint32(b[24:])), native.Uint64(b[32:]), native.Uint64(b[56:]), native.Uint64(b[64:]), native.Uint64(b[48:]), native.Uint64(b[48:]) != math.MaxUint64}
		if n == len(b) && native.Uint64(b[72:]) == sum.Sum64() && (!newest.valid || m.tx > newest.tx) {
			newest = m
		}
	}
	return newest, found
}

// checkFile is checkPages of the database's file, while nobody writes it.
func (db *DB) checkFile() error {
	f, err := os.Open(db.path)
	if err != nil {
		return plainPathError(err)
	}
	defer f.Close()
	if err := checkPages(f); err != nil {
		return &CorruptError{What: "page of the file", Err: err}
	}
	return nil
}

// checkPages returns an error unless every page that can be reached is one.
func checkPages(f io.ReaderAt) error {
	m, found := readMetas(f)
	if !found || !m.valid {
		return nil // bbolt says what is wrong
	}
	if m.pageSize < 1024 || m.pageSize > 64<<10 || m.pages > 1<<40/m.pageSize {
		return fmt.Errorf("%d pages of %d bytes", m.pages, m.pageSize)
	}
	w := pageWalk{f: f, size: m.pageSize, seen: make([]bool, m.pages)}
	if _, err := w.page(m.root, nil, nil); err != nil || !m.listed {
		return err
	}
	return w.freeList(m.free)
}

// checkFreeList is checkPages of nothing but the list of free pages.
func checkFreeList(f io.ReaderAt, m boltMeta) error {
	w := pageWalk{f: f, size: m.pageSize, seen: make([]bool, m.pages)}
	return w.freeList(m.free)
}

// freeList checks the page that lists the free pages: none of them may be seen,
// or be listed twice. After the header, which has flag 16, come their numbers,
// preceded by their count if that does not fit into the header.
func (w *pageWalk) freeList(id uint64) error {
	native := binary.NativeEndian
	bad := fmt.Errorf("page %d: the list of free pages is damaged", id)
	head := make([]byte, pageHeader+8)
	if id < 2 || id >= uint64(len(w.seen)) {
		return bad
	}
	if _, err := w.f.ReadAt(head, int64(id*w.size)); err != nil {
		return bad
	}
	count, overflow, from := uint64(native.Uint16(head[10:])), uint64(native.Uint32(head[12:])), uint64(pageHeader)
	if count == 0xffff {
		count, from = native.Uint64(head[pageHeader:]), pageHeader+8
	}
	if native.Uint64(head) != id || native.Uint16(head[8:]) != 16 || overflow >= uint64(len(w.seen))-id || count > uint64(len(w.seen)) || from+8*count > (1+overflow)*w.size {
		return bad
	}
	list := make([]byte, 8*count)
	if _, err := w.f.ReadAt(list, int64(id*w.size+from)); err != nil {
		return bad
	}
	for i := id; i <= id+overflow; i++ {
		if w.seen[i] {
			return bad
		}
		w.seen[i] = true
	}
	for ; len(list) > 0; list = list[8:] {
		page := native.Uint64(list)
		if page < 2 || page >= uint64(len(w.seen)) || w.seen[page] {
			return bad
		}
		w.seen[page] = true
	}
	return nil
}

type pageWalk struct {
	f    io.ReaderAt
	size uint64
	seen []bool
}

// Of a page: id u64, flags u16, count u16, overflow u32, then elements of 16
// bytes. Of a branch: position u32, key size u32, page u64. Of a leaf: flags
// u32, position u32, key size u32, value size u32. Positions count from the
// element.
const (
	pageHeader  = 16
	pageElement = 16
	flagBranch  = 1
	flagLeaf    = 2
	flagBucket  = 1
)

// page checks the page and all below it, whose keys must be from low on and
// below high, and returns the last key.
func (w *pageWalk) page(id uint64, low, high []byte) ([]byte, error) {
	bad := func(what string) error { return fmt.Errorf("page %d: %s", id, what) }
	if id < 2 || id >= uint64(len(w.seen)) {
		return nil, bad("it is beyond the end")
	}
	first := make([]byte, w.size)
	if _, err := w.f.ReadAt(first, int64(id*w.size)); err != nil {
		return nil, bad(err.Error())
	}
	native := binary.NativeEndian
	overflow := uint64(native.Uint32(first[12:]))
	if native.Uint64(first) != id || overflow >= uint64(len(w.seen))-id {
		return nil, bad("its header is damaged")
	}
	for i := id; i <= id+overflow; i++ {
		if w.seen[i] {
			return nil, bad("it has two parents")
		}
		w.seen[i] = true
	}
	elements, err := w.elements(first, id*w.size, (1+overflow)*w.size)
	if err != nil {
		return nil, bad(err.Error())
	}
	branch := native.Uint16(first[8:]) == flagBranch
	last := low
	for i, e := range elements {
		order := bytes.Compare(last, e.key)
		if order > 0 || order == 0 && i > 0 || high != nil && bytes.Compare(e.key, high) >= 0 {
			return nil, bad("its keys are not in order")
		}
		last = e.key
		if branch {
			next := high
			if i+1 < len(elements) {
				next = elements[i+1].key
			}
			if last, err = w.page(e.child, e.key, next); err != nil {
				return nil, err
			}
		} else if e.child != 0 {
			if _, err := w.page(e.child, nil, nil); err != nil {
				return nil, err
			}
		}
	}
	return last, nil
}

// element is a key and the page that it leads to, 0 for none.
type element struct {
	key   []byte
	child uint64
}

// elements checks and returns the elements of a page of size bytes that lies at
// offset and begins with head.
func (w *pageWalk) elements(head []byte, offset, size uint64) ([]element, error) {
	native := binary.NativeEndian
	flags, count := native.Uint16(head[8:]), uint64(native.Uint16(head[10:]))
	end := pageHeader + count*pageElement
	if flags != flagBranch && flags != flagLeaf || end > size || flags == flagBranch && count == 0 {
		return nil, fmt.Errorf("its header is damaged")
	}
	read := func(from, n uint64) ([]byte, bool) {
		if from+n > size {
			return nil, false
		}
		if from+n <= uint64(len(head)) {
			return head[from : from+n], true
		}
		b := make([]byte, n)
		_, err := w.f.ReadAt(b, int64(offset+from))
		return b, err == nil
	}
	table, ok := read(0, end)
	if !ok {
		return nil, fmt.Errorf("it cannot be read")
	}
	list := make([]element, count)
	for i := range list {
		at := pageHeader + uint64(i)*pageElement
		e := table[at : at+pageElement]
		a, b, c, d := uint64(native.Uint32(e)), uint64(native.Uint32(e[4:])), uint64(native.Uint32(e[8:])), uint64(native.Uint32(e[12:]))
		if flags == flagBranch {
			list[i].key, ok = read(at+a, b)
			list[i].child = native.Uint64(e[8:])
		} else {
			list[i].key, ok = read(at+b, c)
			ok = ok && a <= flagBucket && at+b+c+d <= size
			if ok && a == flagBucket {
				value, whole := read(at+b+c, d)
				list[i].child, ok = w.bucket(value)
				ok = ok && whole
			}
		}
		if !ok {
			return nil, fmt.Errorf("element %d is damaged", i)
		}
	}
	return list, nil
}

// bucket returns the root page of a bucket, 0 if it lies in the value itself.
func (w *pageWalk) bucket(value []byte) (uint64, bool) {
	if len(value) < 16 {
		return 0, false
	}
	root, inline := binary.NativeEndian.Uint64(value), value[16:]
	if root != 0 {
		return root, true
	}
	if len(inline) < pageHeader || binary.NativeEndian.Uint16(inline[8:]) != flagLeaf {
		return 0, false
	}
	list, err := w.elements(inline, 0, uint64(len(inline)))
	for _, e := range list {
		if e.child != 0 {
			return 0, false
		}
	}
	return 0, err == nil
}
