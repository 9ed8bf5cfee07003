package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// This file looks at the structure of bbolt's pages, which have no checksum, before
// bbolt does. On some that are damaged bbolt ends the program: it goes round a
// branch that leads to itself until the stack is full, and what it finds while it
// walks through all pages, in a goroutine of its own, nobody can recover. On others
// it passes over keys as if they had never been.
//
// bbolt writes a page in one go, keys and values one behind the other in the order
// of the elements: whatever is changed in a header or an element leaves a gap or an
// overlap.

// tailLeaves is of how many leaves at the end of the log the headers are looked at
// when a file is opened, about what a mailbox has in its tail.
const tailLeaves = 16

type pageWalk struct {
	f      io.ReaderAt
	size   uint64
	seen   []bool
	leaves bool // leaves are looked at, too
	free   bool // the list of free pages is, and the headers of leaves that a training writes
	all    bool // the headers of all leaves are
	inside bool // of a bucket
	heads  bool // the headers of the leaves of this bucket are looked at
	right  bool // the page is the last one of the log at its height
	spare  [][]byte
	spans  [][2]uint64 // leaves that spread over more than a page: the first and the last
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
	flagMeta    = 4
	flagFree    = 16
	flagBucket  = 1
)

var (
	errHeader = errors.New("its header is damaged")
	errBeyond = errors.New("it is beyond the end")
	errTwice  = errors.New("it has two parents")
	errOrder  = errors.New("its keys are not in order")
	errHeight = errors.New("it is as a branch what others are as a leaf")
)

// mark marks the page and those over which it spreads as seen.
func (w *pageWalk) mark(id, overflow uint64) error {
	if id < 2 || id >= uint64(len(w.seen)) {
		return errBeyond
	}
	if overflow >= uint64(len(w.seen))-id {
		return errHeader
	}
	for i := id; i <= id+overflow; i++ {
		if w.seen[i] {
			return errTwice
		}
		w.seen[i] = true
	}
	return nil
}

// page checks the page and all below it, whose keys must be from low on and
// below high, and returns the last key, valid until the next call, and how many
// branches lead from here to each leaf.
func (w *pageWalk) page(id uint64, low, high []byte) (last []byte, height int, err error) {
	defer func() {
		var at *pageError
		if err != nil && !errors.As(err, &at) {
			err = &pageError{id, err}
		}
	}()
	if id < 2 || id >= uint64(len(w.seen)) {
		return nil, 0, errBeyond
	}
	first := w.buffer()
	defer func() { w.spare = append(w.spare, first) }()
	if _, err := w.f.ReadAt(first, int64(id*w.size)); err != nil {
		return nil, 0, err
	}
	native := binary.NativeEndian
	flags, overflow := native.Uint16(first[8:]), uint64(native.Uint32(first[12:]))
	if native.Uint64(first) != id || overflow >= uint64(len(w.seen))-id {
		return nil, 0, errHeader // or its elements might have the size of all memory
	}
	if w.leaves {
		err = w.mark(id, overflow)
	} else {
		err = w.mark(id, 0) // see apart
	}
	if err != nil {
		return nil, 0, err
	}
	if flags == flagLeaf && !w.leaves && w.inside {
		err := w.span(id, overflow)
		if err == nil && w.free && w.heads {
			err = sizes(first, (1+overflow)*w.size)
		}
		return low, 0, err
	}
	if flags == flagBranch && !w.leaves && overflow == 0 {
		height, err := w.leads(first)
		return low, height, err
	}
	elements, end, err := w.elements(first, id*w.size, (1+overflow)*w.size)
	if err != nil {
		return nil, 0, err
	}
	if end <= overflow*w.size {
		return nil, 0, errHeader
	}
	if flags == flagBranch {
		return w.branch(elements, low, high)
	}
	last, err = w.leaf(elements, low, high)
	return last, 0, err
}

// pageError says which page is damaged.
type pageError struct {
	id  uint64
	err error
}

func (e *pageError) Error() string { return fmt.Sprintf("page %d: %v", e.id, e.err) }
func (e *pageError) Unwrap() error { return e.err }

func (w *pageWalk) buffer() []byte {
	if n := len(w.spare); n > 0 {
		b := w.spare[n-1]
		w.spare = w.spare[:n-1]
		return b
	}
	return make([]byte, w.size)
}

// inOrder returns an error unless the keys from low on and below high are so, each
// once. The first may be low.
func inOrder(elements []element, low, high []byte) error {
	for i, e := range elements {
		if i > 0 && bytes.Compare(elements[i-1].key, e.key) >= 0 {
			return errOrder
		}
	}
	if n := len(elements); n > 0 && (bytes.Compare(elements[0].key, low) < 0 || high != nil && bytes.Compare(elements[n-1].key, high) >= 0) {
		return errOrder
	}
	return nil
}

// branch checks the elements of a branch and the pages that they lead to.
func (w *pageWalk) branch(elements []element, low, high []byte) (last []byte, height int, err error) {
	if err := inOrder(elements, low, high); err != nil {
		return nil, 0, err
	}
	for i, e := range elements {
		next := high
		if i+1 < len(elements) {
			next = elements[i+1].key
		}
		var h int
		if last, h, err = w.page(e.child, e.key, next); err != nil {
			return nil, 0, err
		}
		if i > 0 && h != height {
			return nil, 0, &pageError{e.child, errHeight}
		}
		height = h
	}
	return last, height + 1, nil
}

// leads is branch without a look at the keys, as fast as that can be: whoever opens a
// file waits for it.
func (w *pageWalk) leads(page []byte) (height int, err error) {
	native, right := binary.NativeEndian, w.right
	count := uint64(native.Uint16(page[10:]))
	end := pageHeader + count*pageElement
	if count == 0 || end > w.size {
		return 0, errHeader
	}
	for at := uint64(pageHeader); at < pageHeader+count*pageElement; at += pageElement {
		e := page[at : at+pageElement]
		if at+uint64(native.Uint32(e)) != end {
			return 0, fmt.Errorf("element %d is damaged", at/pageElement-1)
		}
		end += uint64(native.Uint32(e[4:]))
		child, h := native.Uint64(e[8:]), 0
		if at > pageHeader && height == 0 {
			// A leaf, as the first is: where it begins need not be read.
			err := w.mark(child, 0)
			if err == nil && (w.heads || right && at+tailLeaves*pageElement >= pageHeader+count*pageElement) {
				err = w.head(child)
			}
			if err != nil {
				return 0, &pageError{child, err}
			}
			continue
		}
		w.right = right && at+pageElement == pageHeader+count*pageElement
		if _, h, err = w.page(child, nil, nil); err != nil {
			return 0, err
		}
		if at > pageHeader && h != height {
			return 0, &pageError{child, errHeight}
		}
		height = h
	}
	if end > w.size {
		return 0, errHeader
	}
	return height + 1, nil
}

// leaf checks the elements of a leaf and the buckets that they lead to.
func (w *pageWalk) leaf(elements []element, low, high []byte) (last []byte, err error) {
	if err := inOrder(elements, low, high); err != nil {
		return nil, err
	}
	last = low
	for _, e := range elements {
		last = e.key
		if e.child == 0 {
			continue
		}
		outside := w.inside
		w.inside = true
		w.right = bytes.Equal(e.key, bucketLog)
		// A classification reads the end of the log, a training the ledger, too.
		w.heads = w.all || !w.right && (w.free || !bytes.Equal(e.key, bucketLedger))
		if _, _, err := w.page(e.child, nil, nil); err != nil {
			return nil, err
		}
		w.inside = outside
	}
	return last, nil
}
