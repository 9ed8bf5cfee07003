package pages

import (
	"bytes"
	"io"
)

// Access is how a file is going to be used, which says what has to be looked at.
type Access struct {
	// Appended is the bucket to which keys are only added at the end. Nobody reads its
	// other leaves at once.
	Appended []byte

	// Written is the bucket of which only a writer reads leaves.
	Written []byte

	// Write is whether the file is going to be written, for which bbolt takes pages from
	// the list of free ones: that there is a sound list, and that none of it is in use.
	Write bool
}

// Check returns an error unless every page that can be reached is sound. Of a file
// without a sound page of meta data it says nothing.
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

// CheckBranches is Check without the leaves, but for those of the bucket of buckets and
// the headers that a asks for: all that bbolt can go round in, and a hundredth of the
// pages. m is ReadMetas' newest page.
func CheckBranches(f io.ReaderAt, m Meta, a Access) error {
	w, err := newWalk(f, &m)
	if err != nil {
		return err
	}
	w.access = a
	return w.branches(m)
}

// CheckHeads is CheckBranches, for writing, with the headers of all leaves: bbolt frees a
// page with those over which its header says that it spreads.
func CheckHeads(f io.ReaderAt) error {
	m := ReadMetas(f).Newest
	w, err := newWalk(f, &m)
	if err != nil || !m.Valid {
		return err
	}
	w.access.Write, w.all = m.Listed, true
	return w.branches(m)
}

// maxHeight is more branches above each other than a tree of 2^64 pages has, two to a branch.
const maxHeight = 64

// CheckLeaf checks the leaf where key is, below the page root of a bucket, in a file of
// so many pages of size bytes.
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
