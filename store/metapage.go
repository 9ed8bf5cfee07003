package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
)

// boltMagic opens a bbolt page of meta data, behind its header of 16 bytes.
const boltMagic = 0xED0CDAED

// The sizes of a page that are looked for, those of the machines there are: a file
// has that of the machine which made it, ours 4096.
const (
	minPageSize = 1 << 10
	maxPageSize = 64 << 10
)

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

// metaPages are the two pages with which a file begins. A transaction writes the
// older one anew as its last act, and bbolt goes by the newer of those whose
// checksum holds.
type metaPages struct {
	newest boltMeta
	found  bool  // one of them begins as they do
	damage error // of either
}

// readMetas reads both pages of meta data.
func readMetas(f io.ReaderAt) metaPages {
	first, found, err := readMeta(f, 0, 0)
	out := metaPages{newest: first, found: found, damage: err}
	var second boltMeta
	for size := uint64(minPageSize); size <= maxPageSize; size *= 2 {
		if first.valid && first.pageSize != size {
			continue
		}
		if second, found, err = readMeta(f, size, 1); found {
			out.found = true
			break
		}
	}
	switch {
	case out.damage == nil && err == nil:
		out.damage = checkTurn(first, second)
	case out.damage == nil:
		out.damage = err
	}
	if second.valid && (!first.valid || second.tx > first.tx) {
		out.newest = second
	}
	return out
}

// checkTurn returns an error unless two sound pages of meta data can stand beside
// each other: those of one transaction and the next. In a copy that bbolt has made
// of a file the first may be the newer one although it is not its turn, so that the
// next transaction leaves the older one.
func checkTurn(first, second boltMeta) error {
	apart := max(first.tx, second.tx) - min(first.tx, second.tx)
	if apart == 1 || apart == 2 && second.tx%2 == 0 && first.tx > second.tx {
		return nil
	}
	return fmt.Errorf("pages of meta data of transactions %d and %d", first.tx, second.tx)
}

// readMeta reads the page of meta data number id, which lies at offset. Its error
// is what is wrong with it, which need not keep bbolt from going by it.
func readMeta(f io.ReaderAt, offset, id uint64) (m boltMeta, found bool, err error) {
	native := binary.NativeEndian
	var b [80]byte
	n, err := f.ReadAt(b[:], int64(offset))
	found = n >= 20 && native.Uint32(b[16:]) == boltMagic
	if n < len(b) {
		return m, found, fmt.Errorf("page %d of meta data: %w", id, err)
	}
	sum := fnv.New64a()
	sum.Write(b[16:72])
	m = boltMeta{
		valid:    found && native.Uint64(b[72:]) == sum.Sum64(),
		pageSize: uint64(native.Uint32(b[24:])),
		root:     native.Uint64(b[32:]),
		free:     native.Uint64(b[48:]),
		pages:    native.Uint64(b[56:]),
		tx:       native.Uint64(b[64:]),
	}
	m.listed = m.free != math.MaxUint64
	switch {
	case !m.valid:
		err = fmt.Errorf("page %d of meta data: its checksum is wrong, and the last transaction may be missing", id)
	case native.Uint64(b[:]) != id || native.Uint16(b[8:]) != flagMeta:
		err = fmt.Errorf("page %d of meta data: its header is damaged", id)
	default:
		err = nil
	}
	return m, found, err
}

// checkSize returns an error if the numbers of a page of meta data are beyond what
// this program reads.
func (m *boltMeta) checkSize() error {
	if m.pageSize < minPageSize || m.pageSize > maxPageSize || m.pages > 1<<40/m.pageSize {
		return fmt.Errorf("%d pages of %d bytes", m.pages, m.pageSize)
	}
	return nil
}

var errFreeList = errors.New("the list of free pages is damaged")

// freeList checks the page that lists the free pages: they are in order, and none
// of them has been seen. After the header come their numbers, preceded by their
// count if that does not fit into the header. It returns them as they are, and over
// how many pages the list spreads beside its own.
func (w *pageWalk) freeList(id uint64) (list []byte, spread uint64, err error) {
	native := binary.NativeEndian
	bad := fmt.Errorf("page %d: %w", id, errFreeList)
	head := make([]byte, pageHeader+8)
	if id < 2 || id >= uint64(len(w.seen)) {
		return nil, 0, bad
	}
	if _, err := w.f.ReadAt(head, int64(id*w.size)); err != nil {
		return nil, 0, bad
	}
	count, overflow, from := uint64(native.Uint16(head[10:])), uint64(native.Uint32(head[12:])), uint64(pageHeader)
	if count == 0xffff {
		count, from = native.Uint64(head[pageHeader:]), pageHeader+8
	}
	if native.Uint64(head) != id || native.Uint16(head[8:]) != flagFree || count > uint64(len(w.seen)) || from+8*count > (1+overflow)*w.size || w.mark(id, overflow) != nil {
		return nil, 0, bad
	}
	list = make([]byte, 8*count)
	if _, err := w.f.ReadAt(list, int64(id*w.size+from)); err != nil {
		return nil, 0, bad
	}
	last := uint64(1)
	for rest := list; len(rest) > 0; rest = rest[8:] {
		page := native.Uint64(rest)
		if page <= last || page >= uint64(len(w.seen)) || w.seen[page] {
			return nil, 0, bad
		}
		last = page
	}
	return list, overflow, nil
}

// apart returns an error if a free page is one of those over which the page before
// it spreads. Of the pages in use w has seen only where each begins, but for the list
// itself: no more than the page before each run of free ones is looked at.
func (w *pageWalk) apart(list []byte, id, spread uint64) error {
	native := binary.NativeEndian
	before := uint64(0)
	for ; len(list) > 0; list = list[8:] {
		page := native.Uint64(list)
		run := page == before+1
		before = page
		if run {
			continue
		}
		head := page - 1
		for head > 1 && !w.seen[head] {
			head--
		}
		if head <= 1 || head >= id && head <= id+spread {
			continue
		}
		var b [pageHeader]byte
		if _, err := w.f.ReadAt(b[:], int64(head*w.size)); err != nil || uint64(native.Uint32(b[12:])) >= page-head {
			return fmt.Errorf("page %d: it is in use, and %w", page, errFreeList)
		}
	}
	return nil
}

// branches checks what is to be looked at beside the leaves.
func (w *pageWalk) branches(m boltMeta) error {
	if _, _, err := w.page(m.root, nil, nil); err != nil {
		return err
	}
	if w.free {
		list, spread, err := w.freeList(m.free)
		if err == nil {
			err = w.apart(list, m.free, spread)
		}
		if err != nil {
			return err
		}
		for ; len(list) > 0; list = list[8:] {
			w.seen[binary.NativeEndian.Uint64(list)] = true
		}
	}
	for _, s := range w.spans {
		for id := s[0] + 1; id <= s[1]; id++ {
			if w.seen[id] {
				return &pageError{s[0], errHeader}
			}
			w.seen[id] = true
		}
	}
	return nil
}

// head looks at the header of a leaf, and at what a training, which may write the leaf
// anew, takes from it.
func (w *pageWalk) head(id uint64) error {
	native := binary.NativeEndian
	b := w.buffer()
	defer func() { w.spare = append(w.spare, b) }()
	read := b[:pageHeader]
	if w.free {
		read = b
	}
	if _, err := w.f.ReadAt(read, int64(id*w.size)); err != nil {
		return err
	}
	if native.Uint64(b) != id || native.Uint16(b[8:]) != flagLeaf {
		return errHeader
	}
	overflow := uint64(native.Uint32(b[12:]))
	if err := w.span(id, overflow); err != nil || !w.free {
		return err
	}
	return sizes(b, (1+overflow)*w.size)
}

// sizes returns an error if the keys and values of a leaf of size bytes, of which
// first has the first page, are not one behind the other, or go beyond its end: bbolt
// would make room for as many bytes as an element says.
func sizes(first []byte, size uint64) error {
	native := binary.NativeEndian
	elements := pageHeader + uint64(native.Uint16(first[10:]))*pageElement
	end := elements
	if elements > uint64(len(first)) {
		return errHeader // bbolt has no more than a few elements in what spreads over pages
	}
	for at := uint64(pageHeader); at < elements; at += pageElement {
		e := first[at : at+pageElement]
		if at+uint64(native.Uint32(e[4:])) != end {
			return fmt.Errorf("element %d is damaged", at/pageElement-1)
		}
		end += uint64(native.Uint32(e[8:])) + uint64(native.Uint32(e[12:]))
	}
	if end > size {
		return errHeader
	}
	return nil
}

// span notes over how many pages a leaf spreads beside its own, to be compared with
// what else is seen.
func (w *pageWalk) span(id, overflow uint64) error {
	if overflow >= uint64(len(w.seen))-id {
		return errHeader
	}
	if overflow > 0 {
		w.spans = append(w.spans, [2]uint64{id, id + overflow})
	}
	return nil
}
