package pages

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// walk is a walk through the tree that stops at the first damaged page.
type walk struct {
	image
	seen   []bool
	access Access
	leaves bool // the elements of leaves are looked at, too
	inside bool // of a bucket
	heads  bool // the headers of the leaves of this bucket are looked at
	spare  []space
	spans  [][2]uint64 // leaves with overflow pages: the first and the last page

	low, high []byte // branches to keys before low, or above high unless it is nil, are not followed
}

// space is memory for a page and its elements, which the pages of a walk reuse.
type space struct {
	bytes    []byte
	elements []element
}

func newWalk(f io.ReaderAt, m *Meta) (*walk, error) {
	if err := m.checkSize(); err != nil {
		return nil, err
	}
	return &walk{image: image{f, int64(m.Pages * m.PageSize), m.PageSize}, seen: make([]bool, m.Pages)}, nil
}

func (w *walk) mark(id, overflow uint64) error {
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
// below high, and returns how many branches lead from here to each leaf.
func (w *walk) page(id uint64, low, high []byte) (height int, err error) {
	defer func() {
		if _, at := errors.AsType[*pageError](err); err != nil && !at {
			err = &pageError{id, err}
		}
	}()
	if id < 2 || id >= uint64(len(w.seen)) {
		return 0, errBeyond
	}
	s := w.space()
	defer func() { w.spare = append(w.spare, s) }()
	first := s.bytes
	if _, err := w.f.ReadAt(first, int64(id*w.size)); err != nil {
		return 0, err
	}
	flags, overflow := native.Uint16(first[8:]), uint64(native.Uint32(first[12:]))
	if native.Uint64(first) != id || overflow >= uint64(len(w.seen))-id {
		return 0, errHeader // or its elements might be arbitrarily large
	}
	if w.leaves {
		err = w.mark(id, overflow)
	} else {
		err = w.mark(id, 0) // see apart
	}
	if err != nil {
		return 0, err
	}
	if flags == flagLeaf && !w.leaves && w.inside {
		if overflow > 0 {
			w.spans = append(w.spans, [2]uint64{id, id + overflow})
		}
		if w.access.Write {
			err = sizes(first, (1+overflow)*w.size)
		}
		return 0, err
	}
	p, err := w.elements(first, int64(id*w.size), (1+overflow)*w.size, s.elements)
	s.elements = p.elements
	if err != nil {
		return 0, err
	}
	if p.used <= overflow*w.size {
		return 0, errHeader
	}
	if p.branch {
		return w.branch(p.elements, low, high)
	}
	return 0, w.leaf(p.elements, low, high)
}

func (w *walk) space() (s space) {
	if n := len(w.spare); n > 0 {
		s, w.spare = w.spare[n-1], w.spare[:n-1]
		return s
	}
	return space{bytes: make([]byte, w.size)}
}

// elements parses a page of which every element must be sound. A bucket has its
// root as child, 0 if it lies in the value itself.
func (w *walk) elements(near []byte, at int64, size uint64, space []element) (page, error) {
	p, err := w.parse(near, at, size, space)
	if err != nil {
		return p, err
	}
	if p.bad > 0 {
		return p, errElement(p.firstBad)
	}
	for i := range p.elements {
		e, ok := &p.elements[i], true
		if e.bucket {
			e.child, ok = w.bucket(e.at, w.within(near, at, uint64(e.at-at), uint64(e.n)))
		}
		if !ok || len(e.Key) == 0 {
			return p, errElement(i)
		}
	}
	return p, nil
}

// bucket returns the root page of a bucket by its value, 0 if the page lies in that.
func (w *walk) bucket(at int64, value []byte) (root uint64, ok bool) {
	if len(value) < bucketHead {
		return 0, false
	}
	root, inline := native.Uint64(value), value[bucketHead:]
	if root != 0 {
		return root, len(inline) == 0
	}
	if len(inline) < headerSize || native.Uint16(inline[8:]) != flagLeaf || native.Uint32(inline[12:]) != 0 {
		return 0, false
	}
	p, err := w.parse(inline, at+bucketHead, uint64(len(inline)), nil)
	for _, e := range p.elements {
		if e.bucket || len(e.Key) == 0 {
			return 0, false
		}
	}
	return 0, err == nil && p.bad == 0 && p.used == uint64(len(inline)) && inOrder(p.elements, nil, nil) == nil
}

// inOrder returns an error unless the keys ascend, from low on and below high.
func inOrder(elements []element, low, high []byte) error {
	for i, e := range elements {
		if i > 0 && bytes.Compare(elements[i-1].Key, e.Key) >= 0 {
			return errOrder
		}
	}
	if n := len(elements); n > 0 && (bytes.Compare(elements[0].Key, low) < 0 || high != nil && bytes.Compare(elements[n-1].Key, high) >= 0) {
		return errOrder
	}
	return nil
}

// branch checks the elements of a branch and the pages that they lead to.
func (w *walk) branch(elements []element, low, high []byte) (height int, err error) {
	if err := inOrder(elements, low, high); err != nil {
		return 0, err
	}
	for i, e := range elements {
		next := high
		if i+1 < len(elements) {
			next = elements[i+1].Key
		}
		if next != nil && bytes.Compare(next, w.low) < 0 || i > 0 && w.high != nil && bytes.Compare(e.Key, w.high) > 0 {
			continue
		}
		if height == 1 && !w.leaves && !w.heads { // a leaf, like the first child: it need not be read
			if err := w.mark(e.child, 0); err != nil {
				return 0, &pageError{e.child, err}
			}
			continue
		}
		h, err := w.page(e.child, e.Key, next)
		if err != nil {
			return 0, err
		}
		if height > 0 && h+1 != height {
			return 0, &pageError{e.child, errHeight}
		}
		height = h + 1
	}
	return height, nil
}

// leaf checks the elements of a leaf and the buckets that they lead to.
func (w *walk) leaf(elements []element, low, high []byte) error {
	if err := inOrder(elements, low, high); err != nil {
		return err
	}
	for _, e := range elements {
		later := slices.ContainsFunc(w.access.Later, func(name []byte) bool { return bytes.Equal(name, e.Key) })
		if e.child == 0 || later && !w.access.Write {
			continue
		}
		outside := w.inside
		w.inside = true
		w.heads = !later
		if _, err := w.page(e.child, nil, nil); err != nil {
			return err
		}
		w.inside = outside
	}
	return nil
}

// sizes returns an error if the keys and values of a leaf of size bytes, whose first page
// is first, are not contiguous, or go beyond its end: bbolt would allocate as many bytes
// as an element says.
func sizes(first []byte, size uint64) error {
	elements := headerSize + uint64(native.Uint16(first[10:]))*elementSize
	end := elements
	if elements > uint64(len(first)) {
		return errHeader // a leaf with overflow pages has few elements
	}
	for at := uint64(headerSize); at < elements; at += elementSize {
		e := first[at : at+elementSize]
		if at+uint64(native.Uint32(e[4:])) != end {
			return errElement(int(at/elementSize - 1))
		}
		end += uint64(native.Uint32(e[8:])) + uint64(native.Uint32(e[12:]))
	}
	if end > size {
		return errHeader
	}
	return nil
}
