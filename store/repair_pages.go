package store

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// This file walks through the pages of a damaged file and takes what can be read.
// Unlike pages.go, which stops at the first page that is not one, it goes on with
// the next; and it asks bbolt nothing.

// salvage is what was found.
type salvage struct {
	f       *os.File
	bytes   int64  // of the file
	size    uint64 // of a page
	seen    []bool
	older   bool // it is perhaps not of the last transaction
	strict  bool // a page is believed only if its keys are those that its parent says
	holes   int  // pages and elements that cannot be read, though the tree has them
	newest  boltMeta
	buckets map[string]*bucketRemains
}

// bucketRemains is what was found of a bucket.
type bucketRemains struct {
	headed   bool   // its head was found
	sequence uint64 // if so
	torn     bool   // there was more
	pieces   []piece
}

// piece is a key, and where its value lies in the file.
type piece struct {
	key []byte
	at  int64
	n   int
}

// newSalvage reads the pages of f.
func newSalvage(f *os.File) (*salvage, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, plainPathError(err)
	}
	s := &salvage{f: f, bytes: info.Size()}
	if err := s.start(); err != nil {
		return nil, err
	}
	s.walk()
	if s.holes == 0 {
		return s, nil
	}
	// Free pages are those of older states. If the list has none that the tree has
	// too, both are right about those, and what neither has is a lost part of the
	// tree.
	if s.markFree() {
		s.adopt()
		return s, nil
	}
	s.strict = true
	s.walk()
	return s, nil
}

// start finds the newest state.
func (s *salvage) start() error {
	m := readMetas(s.f)
	if s.newest, s.size = m.newest, m.newest.pageSize; m.newest.checkSize() == nil && m.newest.valid {
		if m.damage == nil {
			return nil
		}
		// They are written in turn: of which transaction the damaged one was is known
		// if that much of it is left.
		turn := (m.newest.tx + 1) % 2
		other, found, _ := readMeta(s.f, turn*s.size, turn)
		s.older = !found || other.tx != m.newest.tx-1
		return nil
	}
	meta, found := s.findMeta()
	switch {
	case !found && !m.found:
		return ErrNotPolya
	case !found:
		return notRepaired("no page is left that says where all others are")
	case !meta.valid:
		return notRepaired("both pages at the start of the file are lost, which say what of the rest is the newest state")
	}
	s.newest, s.older = meta, true
	return nil
}

// markFree marks the free pages as seen, if the list of them is sound and has none
// that was seen.
func (s *salvage) markFree() bool {
	native, id := binary.NativeEndian, s.newest.free
	if !s.newest.listed || id < 2 || id >= uint64(len(s.seen)) {
		return false
	}
	at := int64(id * s.size)
	head := s.read(at, pageHeader+8)
	if head == nil || native.Uint64(head) != id || native.Uint16(head[8:]) != flagFree {
		return false
	}
	count, run, from := uint64(native.Uint16(head[10:])), 1+uint64(native.Uint32(head[12:])), uint64(pageHeader)
	if count == math.MaxUint16 {
		count, from = native.Uint64(head[pageHeader:]), pageHeader+8
	}
	if run > uint64(len(s.seen))-id || count > uint64(len(s.seen)) || from+8*count > run*s.size {
		return false
	}
	list := s.read(at+int64(from), int(8*count))
	pages := make([]uint64, 0, count+run)
	for ; len(list) > 0; list = list[8:] {
		pages = append(pages, native.Uint64(list))
	}
	if uint64(len(pages)) < count || !slices.IsSorted(pages) {
		return false
	}
	for i := range run {
		pages = append(pages, id+i)
	}
	for i, page := range pages {
		if page < 2 || page >= uint64(len(s.seen)) || s.seen[page] || i > 0 && page == pages[i-1] {
			return false
		}
	}
	for _, page := range pages {
		s.seen[page] = true
	}
	return true
}

// walk reads what the root leads to.
func (s *salvage) walk() {
	s.seen = make([]bool, min(s.newest.pages, uint64(s.bytes)/s.size+1))
	s.holes = 0
	s.buckets = make(map[string]*bucketRemains)
	for _, name := range slices.Concat(buckets, attributeBuckets) {
		s.buckets[string(name)] = new(bucketRemains)
	}
	before := s.holes
	for _, e := range s.tree(s.newest.root, nil, nil) {
		s.bucket(e)
	}
	for _, b := range s.buckets {
		b.torn = b.torn || !b.headed && s.holes > before
	}
}

// bucketHead is the size of what comes before the pages of a bucket in its element: root
// u64, sequence u64.
const bucketHead = 16

// bucket reads the bucket that an element of the root is the head of.
func (s *salvage) bucket(e salvaged) {
	b := s.buckets[string(e.key)]
	head := s.read(e.at, bucketHead)
	if b == nil || b.headed || !e.bucket || head == nil {
		s.holes++
		return
	}
	b.headed, b.sequence = true, binary.NativeEndian.Uint64(head[8:])
	before := s.holes
	if root := binary.NativeEndian.Uint64(head); root != 0 {
		b.add(s.tree(root, nil, nil))
	} else if p, ok := s.elements(e.at+bucketHead, uint64(e.n)-bucketHead); ok && !p.branch {
		s.holes += p.bad
		b.add(p.elements)
	} else {
		s.holes++
	}
	b.torn = s.holes > before
}

func (b *bucketRemains) add(list []salvaged) {
	for _, e := range list {
		if !e.bucket {
			b.pieces = append(b.pieces, e.piece)
		}
	}
}

// salvaged is an element of a page.
type salvaged struct {
	piece
	bucket bool
	child  uint64 // of a branch
}

// tree returns the elements of all leaves below a page, whose keys, if s is strict,
// are from low on and below high.
func (s *salvage) tree(id uint64, low, high []byte) []salvaged {
	p, ok := s.page(id)
	if !ok {
		s.holes++
		return nil
	}
	s.holes += p.bad
	if s.strict {
		n := len(p.elements)
		p.elements = slices.DeleteFunc(p.elements, func(e salvaged) bool {
			return bytes.Compare(e.key, low) < 0 || high != nil && bytes.Compare(e.key, high) >= 0
		})
		s.holes += n - len(p.elements)
	}
	if !p.branch {
		return p.elements
	}
	var all []salvaged
	for i, e := range p.elements {
		next := high
		if i+1 < len(p.elements) {
			next = p.elements[i+1].key
		}
		all = append(all, s.tree(e.child, e.key, next)...)
	}
	return all
}

// salvagedPage is what can be read of a page.
type salvagedPage struct {
	branch   bool
	elements []salvaged
	bad      int    // elements that are none
	used     uint64 // bytes
}

// page reads a page that was not read before.
func (s *salvage) page(id uint64) (salvagedPage, bool) {
	if id < 2 || id >= uint64(len(s.seen)) || s.seen[id] {
		return salvagedPage{}, false
	}
	s.seen[id] = true
	at := int64(id * s.size)
	head := s.read(at, pageHeader)
	if head == nil || binary.NativeEndian.Uint64(head) != id {
		return salvagedPage{}, false
	}
	run := uint64(binary.NativeEndian.Uint32(head[12:])) + 1
	p, ok := s.elements(at, min(run, uint64(len(s.seen))-id)*s.size)
	for i := id + 1; ok && i < id+(p.used+s.size-1)/s.size; i++ {
		s.seen[i] = true
	}
	return p, ok
}

// elements reads the page of so many bytes at an offset of the file. Not ok is one
// whose header is damaged.
func (s *salvage) elements(at int64, room uint64) (p salvagedPage, ok bool) {
	native := binary.NativeEndian
	// Most keys lie near the header; the values, if they are long, behind them.
	near := s.read(at, int(max(0, min(int64(room), 64<<10, s.bytes-at))))
	if len(near) < pageHeader {
		return p, false
	}
	flags, count := native.Uint16(near[8:]), uint64(native.Uint16(near[10:]))
	p.used = pageHeader + count*pageElement
	if flags != flagBranch && flags != flagLeaf || p.used > room || flags == flagBranch && count == 0 {
		return p, false
	}
	p.branch = flags == flagBranch
	table := s.within(near, at, 0, p.used)
	if table == nil {
		return p, false
	}
	behind := p.used // keys and values follow each other without a gap
	for i := range count {
		from := pageHeader + i*pageElement
		e, end, ok := s.element(near, at, room, from, table[from:from+pageElement], p.branch)
		if !ok {
			p.bad++
			continue
		}
		if uint64(e.at-at) != behind+uint64(len(e.key)) {
			p.bad++ // its own sizes are wrong, or those of the one before
		}
		behind = end
		p.used = max(p.used, end)
		p.elements = append(p.elements, e)
	}
	return p, true
}

// element reads the element that stands at from of a page, and returns where it
// ends.
func (s *salvage) element(near []byte, at int64, room, from uint64, b []byte, branch bool) (e salvaged, end uint64, ok bool) {
	native := binary.NativeEndian
	flags, place, key, value := uint64(native.Uint32(b)), uint64(native.Uint32(b[4:])), uint64(native.Uint32(b[8:])), uint64(native.Uint32(b[12:]))
	if branch {
		flags, place, key, value = 0, uint64(native.Uint32(b)), uint64(native.Uint32(b[4:])), 0
		e.child = native.Uint64(b[8:])
	}
	end = from + place + key + value
	if flags > flagBucket || end > room || value > bolt.MaxValueSize || at+int64(end) > s.bytes {
		return e, 0, false
	}
	e.bucket = flags == flagBucket
	e.key = bytes.Clone(s.within(near, at, from+place, key))
	e.at, e.n = at+int64(from+place+key), int(value)
	return e, end, uint64(len(e.key)) == key && (!e.bucket || value >= 16)
}

// within returns n bytes at from of the page at an offset, of which the near ones
// have been read.
func (s *salvage) within(near []byte, at int64, from, n uint64) []byte {
	if from+n <= uint64(len(near)) {
		return near[from : from+n]
	}
	return s.read(at+int64(from), int(n))
}

// read returns n bytes of the file, or nil if they are not there.
func (s *salvage) read(at int64, n int) []byte {
	if at < 0 || n < 0 || at > s.bytes-int64(n) {
		return nil
	}
	b := make([]byte, n)
	if _, err := s.f.ReadAt(b, at); err != nil {
		return nil
	}
	return b
}

// value returns the value of p, or nil if the disk cannot give it.
func (s *salvage) value(p piece) []byte { return s.read(p.at, p.n) }
