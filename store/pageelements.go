package store

import (
	"encoding/binary"
	"fmt"
)

// element is a key and the page that it leads to, 0 for none.
type element struct {
	key   []byte
	child uint64
}

// elements checks and returns the elements of a page of size bytes that lies at
// offset and begins with head, and how many of its bytes are in use.
func (w *pageWalk) elements(head []byte, offset, size uint64) (list []element, end uint64, err error) {
	native := binary.NativeEndian
	flags, count := native.Uint16(head[8:]), uint64(native.Uint16(head[10:]))
	end = pageHeader + count*pageElement
	if flags != flagBranch && flags != flagLeaf || end > size || flags == flagBranch && count == 0 {
		return nil, 0, errHeader
	}
	read := func(from, n uint64) []byte {
		if from+n > size {
			return nil
		}
		if from+n <= uint64(len(head)) {
			return head[from : from+n]
		}
		b := make([]byte, n)
		if _, err := w.f.ReadAt(b, int64(offset+from)); err != nil {
			return nil
		}
		return b
	}
	table := read(0, end)
	if table == nil {
		return nil, 0, fmt.Errorf("it cannot be read")
	}
	list = make([]element, count)
	for i := range list {
		at := pageHeader + uint64(i)*pageElement
		e := table[at : at+pageElement]
		a, b, c, d := uint64(native.Uint32(e)), uint64(native.Uint32(e[4:])), uint64(native.Uint32(e[8:])), uint64(native.Uint32(e[12:]))
		ok := true
		if flags == flagBranch {
			ok = at+a == end
			list[i].key = read(end, b)
			list[i].child = native.Uint64(e[8:])
			end += b
		} else {
			ok = at+b == end && a <= flagBucket && end+c+d <= size
			list[i].key = read(end, c)
			if ok && a == flagBucket {
				list[i].child, ok = w.bucket(read(end+c, d))
			}
			end += c + d
		}
		if !ok || len(list[i].key) == 0 {
			return nil, 0, fmt.Errorf("element %d is damaged", i)
		}
	}
	return list, end, nil
}

// bucket returns the root page of a bucket, 0 if it lies in the value itself.
func (w *pageWalk) bucket(value []byte) (uint64, bool) {
	if len(value) < 16 {
		return 0, false
	}
	root, inline := binary.NativeEndian.Uint64(value), value[16:]
	if root != 0 {
		return root, len(inline) == 0
	}
	if len(inline) < pageHeader || binary.NativeEndian.Uint16(inline[8:]) != flagLeaf || binary.NativeEndian.Uint32(inline[12:]) != 0 {
		return 0, false
	}
	list, end, err := w.elements(inline, 0, uint64(len(inline)))
	for _, e := range list {
		if e.child != 0 {
			return 0, false
		}
	}
	return 0, err == nil && end == uint64(len(inline)) && inOrder(list, nil, nil) == nil
}
