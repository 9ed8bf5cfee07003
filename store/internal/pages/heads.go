package pages

// This file checks branches and headers of leaves as fast as possible: opening a file waits
// for it.

// lastLeaves is the number of leaves at the end of the appended bucket whose headers are
// checked when a file is opened, about the tail of a mailbox's log.
const lastLeaves = 16

// branches checks the pages other than leaves.
func (w *walk) branches(m Meta) error {
	if _, err := w.page(m.Root, nil, nil); err != nil {
		return err
	}
	if w.access.Write {
		list, spread, err := w.freeList(m.Free)
		if err == nil {
			err = w.apart(list, m.Free, spread)
		}
		if err != nil {
			return err
		}
		w.markFree(list)
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

// head checks the header of a leaf, and the parts that a training that writes the leaf uses.
func (w *walk) head(id uint64) error {
	s := w.space()
	defer func() { w.spare = append(w.spare, s) }()
	b := s.bytes
	read := b[:headerSize]
	if w.access.Write {
		read = b
	}
	if _, err := w.f.ReadAt(read, int64(id*w.size)); err != nil {
		return err
	}
	if native.Uint64(b) != id || native.Uint16(b[8:]) != flagLeaf {
		return errHeader
	}
	overflow := uint64(native.Uint32(b[12:]))
	if err := w.span(id, overflow); err != nil || !w.access.Write {
		return err
	}
	return sizes(b, (1+overflow)*w.size)
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

// span records the overflow pages of a leaf, to be compared with the other pages seen.
func (w *walk) span(id, overflow uint64) error {
	if overflow >= uint64(len(w.seen))-id {
		return errHeader
	}
	if overflow > 0 {
		w.spans = append(w.spans, [2]uint64{id, id + overflow})
	}
	return nil
}
