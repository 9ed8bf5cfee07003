package pages

import (
	"bytes"
	"io"
)

// Access is the intended use of a file, which decides what must be checked.
type Access struct {
	// Appended is the bucket to which keys are only added at the end. Its other leaves are
	// not read soon.
	Appended []byte

	// Written is the bucket whose leaves only a writer reads.
	Written []byte

	// Write is set if the file will be written. bbolt then takes pages from the free list,
	// which must be sound and have no page in use.
	Write bool
}

// Check returns an error unless every page that can be reached is sound. It returns nil
// for a file without a sound meta page.
func Check(f io.ReaderAt) error {
	m := ReadMetas(f).Newest
	if !m.Valid {
		return nil
	}
	w, err := newWalk(f, &m)
	if err != nil {
		return err
	}
	w.leaves = true
	if _, _, err := w.page(m.Root, nil, nil); err != nil || !m.Listed {
		return err
	}
	_, _, err = w.freeList(m.Free)
	return err
}

// CheckBranches is Check without leaves, except those of the root bucket and the headers
// that a asks for: all pages that can make bbolt loop, a hundredth of the file. m is
// ReadMetas' newest page.
func CheckBranches(f io.ReaderAt, m Meta, a Access) error {
	w, err := newWalk(f, &m)
	if err != nil {
		return err
	}
	w.access = a
	return w.branches(m)
}

// CheckHeads is CheckBranches, for writing, with the headers of all leaves: bbolt frees a
// page together with the overflow pages in its header.
func CheckHeads(f io.ReaderAt) error {
	m := ReadMetas(f).Newest
	w, err := newWalk(f, &m)
	if err != nil || !m.Valid {
		return err
	}
	w.access.Write, w.all = m.Listed, true
	return w.branches(m)
}

// maxHeight is above the height of a tree of 2^64 pages with two to a branch.
const maxHeight = 64

// CheckLeaf checks the leaf of key, below the root page of a bucket, in a file of pages
// pages of size bytes.
func CheckLeaf(f io.ReaderAt, size int, pages, root uint64, key []byte) error {
	page, id := make([]byte, size), root
	m := image{f, int64(pages+1) * int64(size), uint64(size)}
	for range maxHeight {
		if id < 2 || id > pages {
			return &pageError{id, errBeyond}
		}
		if _, err := f.ReadAt(page, int64(id)*int64(size)); err != nil {
			return err
		}
		flags, overflow := native.Uint16(page[8:]), uint64(native.Uint32(page[12:]))
		switch {
		case native.Uint64(page) != id || overflow > pages:
			return &pageError{id, errHeader}
		case flags == flagLeaf:
			if err := sizes(page, (1+overflow)*uint64(size)); err != nil {
				return &pageError{id, err}
			}
			return nil
		}
		p, err := m.parse(page, int64(id)*int64(size), uint64(size))
		if err != nil || !p.branch || p.bad > 0 {
			return &pageError{id, errHeader}
		}
		next := 1
		for next < len(p.elements) && bytes.Compare(p.elements[next].Key, key) <= 0 {
			next++
		}
		id = p.elements[next-1].child
	}
	return errHeight
}
