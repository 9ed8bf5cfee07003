package pages

import "fmt"

// freeList checks the page that lists the free pages: they are in order, and none of them
// has been seen. After the header come their numbers, preceded by their count if that
// does not fit into the header. It returns their encoded numbers, and the number of the
// list's overflow pages. The pages of the list are marked as seen.
func (w *walk) freeList(id uint64) (list []byte, spread uint64, err error) {
	bad := &pageError{id, errFree}
	head := make([]byte, headerSize+8)
	if id < 2 || id >= uint64(len(w.seen)) {
		return nil, 0, bad
	}
	if _, err := w.f.ReadAt(head, int64(id*w.size)); err != nil {
		return nil, 0, bad
	}
	count, overflow, from := uint64(native.Uint16(head[10:])), uint64(native.Uint32(head[12:])), uint64(headerSize)
	if count == 0xffff {
		count, from = native.Uint64(head[headerSize:]), headerSize+8
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

func (w *walk) markFree(list []byte) {
	for ; len(list) > 0; list = list[8:] {
		w.seen[native.Uint64(list)] = true
	}
}

// apart returns an error if a free page is an overflow page of the page before it. Except
// for the list itself, w has seen only the first page of each page in use: it is enough
// to check the page before each run of free ones.
func (w *walk) apart(list []byte, id, spread uint64) error {
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
		var b [headerSize]byte
		if _, err := w.f.ReadAt(b[:], int64(head*w.size)); err != nil || uint64(native.Uint32(b[12:])) >= page-head {
			return fmt.Errorf("page %d: it is in use, and %w", page, errFree)
		}
	}
	return nil
}
