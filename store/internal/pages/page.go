// Package pages reads the pages of a bbolt file without bbolt, which has no checksum on
// them. Some damaged pages make bbolt end the program: it follows a branch that leads to
// itself until the stack overflows, and a panic while it scans all pages, in a goroutine
// of its own, cannot be recovered. With others it silently skips keys.
//
// Check and similar functions stop at the first damaged page. Salvage takes what can be
// read and continues. The package does not know the keys and values of a database:
// callers describe them by Access and Content.
//
// bbolt writes a page as a whole, keys and values contiguous in the order of the
// elements: any change in a header or an element leaves a gap or an overlap.
package pages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

type image struct {
	f     io.ReaderAt
	bytes int64  // that may be read
	size  uint64 // of a page
}

// Piece is a key, and where its value lies in the file.
type Piece struct {
	Key []byte
	at  int64
	n   int
}

type element struct {
	Piece
	bucket bool
	child  uint64 // of a branch
}

// page is the readable part of a page.
type page struct {
	branch   bool
	elements []element // without those that go beyond the page
	bad      int       // elements that are damaged
	firstBad int       // the first of them
	used     uint64    // bytes
}

// maxValue is above bbolt's limit for the bytes of a value.
const maxValue = 1<<31 - 1

// parse reads a page of size bytes at offset at of the file; near holds its beginning,
// and keys may refer to it. The elements may take the place of those in space. An error says that the header is damaged.
func (m *image) parse(near []byte, at int64, size uint64, space []element) (p page, err error) {
	if len(near) < headerSize {
		return p, errUnread
	}
	flags, count := native.Uint16(near[8:]), uint64(native.Uint16(near[10:]))
	p.used = headerSize + count*elementSize
	p.branch = flags == flagBranch
	if !p.branch && flags != flagLeaf || p.used > size || p.branch && count == 0 {
		return p, errHeader
	}
	table := m.within(near, at, 0, p.used)
	if table == nil {
		return p, errUnread
	}
	p.elements = slices.Grow(space[:0], int(count))
	behind := p.used // keys and values follow each other without a gap
	for i := range count {
		from := headerSize + i*elementSize
		e, end, ok := m.element(near, at, size, from, table[from:from+elementSize], p.branch)
		if !ok || uint64(e.at-at) != behind+uint64(len(e.Key)) {
			// Its sizes are wrong, or the sizes of the element before.
			if p.bad++; p.bad == 1 {
				p.firstBad = int(i)
			}
		}
		if !ok {
			continue
		}
		behind = end
		p.used = max(p.used, end)
		p.elements = append(p.elements, e)
	}
	return p, nil
}

// element reads the element b at offset from of a page, and returns the end of its value.
func (m *image) element(near []byte, at int64, size, from uint64, b []byte, branch bool) (e element, end uint64, ok bool) {
	flags, place, key, value := uint64(native.Uint32(b)), uint64(native.Uint32(b[4:])), uint64(native.Uint32(b[8:])), uint64(native.Uint32(b[12:]))
	if branch {
		flags, place, key, value = 0, uint64(native.Uint32(b)), uint64(native.Uint32(b[4:])), 0
		e.child = native.Uint64(b[8:])
	}
	end = from + place + key + value
	if flags > flagBucket || end > size || value >= maxValue || at+int64(end) > m.bytes {
		return e, 0, false
	}
	e.bucket = flags == flagBucket
	e.Key = m.within(near, at, from+place, key)
	e.at, e.n = at+int64(from+place+key), int(value)
	return e, end, uint64(len(e.Key)) == key && (!e.bucket || value >= bucketHead)
}

// within returns n bytes at offset from of the page at at, whose beginning is near.
func (m *image) within(near []byte, at int64, from, n uint64) []byte {
	if from+n <= uint64(len(near)) {
		return near[from : from+n]
	}
	return m.read(at+int64(from), int(n))
}

// read returns n bytes of the file, or nil if they are not there.
func (m *image) read(at int64, n int) []byte {
	if at < 0 || n < 0 || at > m.bytes-int64(n) {
		return nil
	}
	b := make([]byte, n)
	if _, err := m.f.ReadAt(b, at); err != nil {
		return nil
	}
	return b
}

// A page begins with id u64, flags u16, count u16, overflow u32; elements of 16 bytes
// follow. Of a branch: position u32, key size u32, page u64. Of a leaf: flags u32,
// position u32, key size u32, value size u32. Positions count from the element.
const (
	headerSize  = 16
	elementSize = 16
	flagBranch  = 1
	flagLeaf    = 2
	flagMeta    = 4
	flagFree    = 16
	flagBucket  = 1

	// bucketHead is the size of the head of a bucket's value: root u64, sequence u64. The
	// page of a bucket without a root follows.
	bucketHead = 16
)

var native = binary.NativeEndian

var (
	errHeader = errors.New("its header is damaged")
	errUnread = errors.New("it cannot be read")
	errBeyond = errors.New("it is beyond the end")
	errTwice  = errors.New("it has two parents")
	errOrder  = errors.New("its keys are not in order")
	errHeight = errors.New("it is as a branch what others are as a leaf")
	errFree   = errors.New("the list of free pages is damaged")
)

func errElement(i int) error { return fmt.Errorf("element %d is damaged", i) }

type pageError struct {
	id  uint64
	err error
}

func (e *pageError) Error() string { return fmt.Sprintf("page %d: %v", e.id, e.err) }
func (e *pageError) Unwrap() error { return e.err }
