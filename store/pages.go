package store

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
)

// This file looks at the structure of bbolt's pages before bbolt does, which
// ends the program on some that are damaged: opened for writing, it walks
// through all pages in a goroutine of its own, where nobody can recover it.
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
		m := boltMeta{true, uint64(native.Uint32(b[24:])), native.Uint64(b[32:]), native.Uint64(b[56:]), native.Uint64(b[64:])}
		if n == len(b) && native.Uint64(b[72:]) == sum.Sum64() && (!newest.valid || m.tx > newest.tx) {
			newest = m
		}
	}
	return newest, found
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
	return w.page(m.root)
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

// page checks the page and all below it.
func (w *pageWalk) page(id uint64) error {
	bad := func(what string) error { return fmt.Errorf("page %d: %s", id, what) }
	if id < 2 || id >= uint64(len(w.seen)) {
		return bad("it is beyond the end")
	}
	first := make([]byte, w.size)
	if _, err := w.f.ReadAt(first, int64(id*w.size)); err != nil {
		return bad(err.Error())
	}
	native := binary.NativeEndian
	overflow := uint64(native.Uint32(first[12:]))
	if native.Uint64(first) != id || overflow >= uint64(len(w.seen))-id {
		return bad("its header is damaged")
	}
	for i := id; i <= id+overflow; i++ {
		if w.seen[i] {
			return bad("it has two parents")
		}
		w.seen[i] = true
	}
	size := (1 + overflow) * w.size
	children, err := w.elements(first, id*w.size, size)
	if err != nil {
		return bad(err.Error())
	}
	for _, child := range children {
		if err := w.page(child); err != nil {
			return err
		}
	}
	return nil
}

// elements checks the elements of a page of size bytes that lies at offset and
// begins with head, and returns the pages that they lead to.
func (w *pageWalk) elements(head []byte, offset, size uint64) (children []uint64, err error) {
	native := binary.NativeEndian
	flags, count := native.Uint16(head[8:]), uint64(native.Uint16(head[10:]))
	end := pageHeader + count*pageElement
	if flags != flagBranch && flags != flagLeaf || end > size || flags == flagBranch && count == 0 {
		return nil, fmt.Errorf("its header is damaged")
	}
	if end > uint64(len(head)) {
		head = make([]byte, end)
		if _, err := w.f.ReadAt(head, int64(offset)); err != nil {
			return nil, err
		}
	}
	for i := range count {
		at := pageHeader + i*pageElement
		e := head[at : at+pageElement]
		a, b, c, d := uint64(native.Uint32(e)), uint64(native.Uint32(e[4:])), uint64(native.Uint32(e[8:])), uint64(native.Uint32(e[12:]))
		if flags == flagBranch {
			if at+a+b > size {
				return nil, fmt.Errorf("element %d is damaged", i)
			}
			children = append(children, native.Uint64(e[8:]))
			continue
		}
		if at+b+c+d > size || a > flagBucket {
			return nil, fmt.Errorf("element %d is damaged", i)
		}
		if a != flagBucket {
			continue
		}
		value := make([]byte, d)
		if _, err := w.f.ReadAt(value, int64(offset+at+b+c)); err != nil || d < 16 {
			return nil, fmt.Errorf("element %d is damaged", i)
		}
		root := native.Uint64(value)
		if root == 0 { // the bucket lies in the value
			if d < 16+pageHeader {
				return nil, fmt.Errorf("element %d is damaged", i)
			}
			inner, err := w.elements(value[16:], offset+at+b+c+16, d-16)
			if err != nil || len(inner) > 0 {
				return nil, fmt.Errorf("element %d is damaged", i)
			}
			continue
		}
		children = append(children, root)
	}
	return children, nil
}
