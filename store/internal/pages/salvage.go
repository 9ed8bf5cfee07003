package pages

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// Content describes to Salvage the content of a file.
type Content struct {
	// Buckets are the names of all buckets that a file may have.
	Buckets [][]byte

	// Kind returns the name of the bucket whose keys and values look like these, or nil.
	Kind func(key, value []byte) []byte
}

// Salvage is the readable part of a damaged file.
type Salvage struct {
	Older   bool               // the state may be before the last transaction
	Buckets map[string]*Bucket // of all names in Content

	image
	content *Content
	seen    []bool
	strict  bool // a page is trusted only if its keys match its parent
	holes   int  // pages and elements that cannot be read, though the tree has them
	newest  Meta
}

// Bucket is the readable part of a bucket.
type Bucket struct {
	Headed   bool    // its head was found
	Sequence uint64  // if so
	Torn     bool    // some of it is lost
	Pieces   []Piece // of its leaves, perhaps not in order
}

var (
	// ErrNoPages is returned when nothing in a file looks like a page of bbolt's.
	ErrNoPages = errors.New("it has no page of a database")

	errNoMetas = errors.New("both pages at the start of the file are lost, which say what of the rest is the newest state")
)

// Open reads the pages of a damaged file of so many bytes, which nobody may change while
// the result is used.
//
// A page that the newest state reaches is trusted. An unreachable page is trusted if the
// free list is sound and does not have it: any other may be of an older state. Without a
// sound free list a page must have the keys that its parent says.
func Open(f io.ReaderAt, bytes int64, c Content) (*Salvage, error) {
	s := &Salvage{image: image{f: f, bytes: bytes}, content: &c}
	if err := s.start(); err != nil {
		return nil, err
	}
	s.walk()
	if s.holes == 0 {
		return s, nil
	}
	// Free pages belong to older states. If the free list and the tree have no
	// common page, both are correct, and a page in neither is a lost part of the
	// tree.
	if w := (walk{image: s.image, seen: s.seen}); s.newest.Listed {
		if list, _, err := w.freeList(s.newest.Free); err == nil {
			w.markFree(list)
			s.adopt()
			return s, nil
		}
	}
	s.strict = true
	s.walk()
	return s, nil
}

func (s *Salvage) start() error {
	m := ReadMetas(s.f)
	if s.newest, s.size = m.Newest, m.Newest.PageSize; m.Newest.checkSize() == nil && m.Newest.Valid {
		if m.Damage == nil {
			return nil
		}
		// They are written in turn: the transaction of the damaged one is known if that much of
		// it is left.
		turn := (m.Newest.Tx + 1) % 2
		other, found, _ := readMeta(s.f, turn*s.size, turn)
		s.Older = !found || other.Tx != m.Newest.Tx-1
		return nil
	}
	if !m.Found {
		return ErrNoPages
	}
	return errNoMetas
}

func (s *Salvage) walk() {
	s.seen = make([]bool, min(s.newest.Pages, uint64(s.bytes)/s.size+1))
	s.holes = 0
	s.Buckets = make(map[string]*Bucket)
	for _, name := range s.content.Buckets {
		s.Buckets[string(name)] = new(Bucket)
	}
	for _, e := range s.tree(s.newest.Root, nil, nil) {
		s.bucket(e)
	}
	for _, b := range s.Buckets {
		b.Torn = b.Torn || !b.Headed && s.holes > 0
	}
}

func (s *Salvage) bucket(e element) {
	b := s.Buckets[string(e.Key)]
	head := s.read(e.at, bucketHead)
	if b == nil || b.Headed || !e.bucket || head == nil {
		s.holes++
		return
	}
	b.Headed, b.Sequence = true, native.Uint64(head[8:])
	before := s.holes
	if root := native.Uint64(head); root != 0 {
		b.add(s.tree(root, nil, nil))
	} else if p, ok := s.elements(e.at+bucketHead, uint64(e.n)-bucketHead); ok && !p.branch {
		s.holes += p.bad
		b.add(p.elements)
	} else {
		s.holes++
	}
	b.Torn = s.holes > before
}

func (b *Bucket) add(list []element) {
	for _, e := range list {
		if !e.bucket {
			b.Pieces = append(b.Pieces, e.Piece)
		}
	}
}

// tree returns the elements of all leaves below a page, whose keys, if s is strict,
// are from low on and below high.
func (s *Salvage) tree(id uint64, low, high []byte) []element {
	p, ok := s.page(id, true)
	if !ok {
		s.holes++
		return nil
	}
	s.holes += p.bad
	if s.strict {
		n := len(p.elements)
		p.elements = slices.DeleteFunc(p.elements, func(e element) bool {
			return bytes.Compare(e.Key, low) < 0 || high != nil && bytes.Compare(e.Key, high) >= 0
		})
		s.holes += n - len(p.elements)
	}
	if !p.branch {
		return p.elements
	}
	var all []element
	for i, e := range p.elements {
		next := high
		if i+1 < len(p.elements) {
			next = p.elements[i+1].Key
		}
		all = append(all, s.tree(e.child, e.Key, next)...)
	}
	return all
}

// page reads a page that was not read before. One that the tree leads to may have a damaged header, but
// not the number of another page, which was written over it.
func (s *Salvage) page(id uint64, led bool) (page, bool) {
	if id < 2 || id >= uint64(len(s.seen)) || s.seen[id] {
		return page{}, false
	}
	s.seen[id] = true
	at := int64(id * s.size)
	head := s.read(at, headerSize)
	if head == nil {
		return page{}, false
	}
	named, run := native.Uint64(head), uint64(native.Uint32(head[12:]))+1
	if named != id && (!led || named < s.newest.Pages) {
		return page{}, false
	}
	p, ok := s.elements(at, min(run, uint64(len(s.seen))-id)*s.size)
	ok = ok && (named == id || p.bad == 0)
	for i := id + 1; ok && i < id+(p.used+s.size-1)/s.size; i++ {
		s.seen[i] = true
	}
	return p, ok
}

// elements reads a page of size bytes at offset at of the file. Keys are copied. ok is
// false if it cannot be read.
func (s *Salvage) elements(at int64, size uint64) (p page, ok bool) {
	// Most keys lie near the header; the values, if they are long, behind them.
	near := s.read(at, int(max(0, min(int64(size), 64<<10, s.bytes-at))))
	p, err := s.parse(near, at, size, nil)
	if err != nil || p.bad > 0 {
		if leaf, found := s.headless(near, at, size); found {
			p, err = leaf, nil
		}
	}
	for i := range p.elements {
		p.elements[i].Key = bytes.Clone(p.elements[i].Key)
	}
	return p, err == nil
}

// headless reads a leaf whose header may be damaged. The key of the first element, which follows the
// last element, says how many there are, and all must be sound. If they need more than size bytes, the
// last value must be sound too: otherwise its length may be what is damaged.
func (s *Salvage) headless(near []byte, at int64, size uint64) (p page, ok bool) {
	if len(near) < headerSize+elementSize {
		return p, false
	}
	near = bytes.Clone(near)
	native.PutUint16(near[8:], flagLeaf)
	native.PutUint16(near[10:], uint16(native.Uint32(near[headerSize+4:])/elementSize))
	p, err := s.parse(near, at, uint64(s.bytes-at), nil)
	if err != nil || p.bad > 0 || len(p.elements) == 0 {
		return p, false
	}
	last := p.elements[len(p.elements)-1].Piece
	return p, p.used <= size || s.content.Kind(last.Key, s.Value(last)) != nil
}

// Value returns the value of p, or nil if the disk cannot give it.
func (s *Salvage) Value(p Piece) []byte { return s.read(p.at, p.n) }

// adopt assigns leaves that are neither read nor free to the buckets they must belong to.
func (s *Salvage) adopt() {
	for id := uint64(2); id < uint64(len(s.seen)); id++ {
		p, ok := s.page(id, false)
		if !ok || p.branch {
			continue
		}
		for _, e := range p.elements {
			v := s.Value(e.Piece)
			if v == nil || e.bucket {
				continue
			}
			if name := s.content.Kind(e.Key, v); name != nil {
				s.Buckets[string(name)].add(p.elements)
				break
			}
		}
	}
}
