package rows

import (
	"cmp"
	"slices"
)

// shard is the part of an Overlay for a range of hashes. Its numbers are in few slices:
// one memory access leads to a term and to the newest sum of its first class.
type shard struct {
	slots   []uint64 // open addressing: the low half of a hash above an index into entries plus one, 0 is empty
	entries []entry
	terms   []byte
}

// entry is a term with its cells.
type entry struct {
	hash   uint64
	offset uint32
	length uint8
	cell          // most have no other
	others []cell // in order of class
}

type cell struct {
	class uint32
	sums  // the newest; before any record of seq 0
}

// sums is the sum of the records up to seq that were not in the table when the last of
// them was added.
type sums struct {
	seq    uint64
	n, w   int64   // documents, weight
	more   []int64 // of U[1], U[2], …; readers may keep it, once they see seq
	before *sums   // that a reader may still see, or nil
}

func (s *shard) term(e *entry) []byte { return s.terms[e.offset:][:e.length:e.length] }

func (s *shard) slot(hash uint64) int { return int(hash>>32) & (len(s.slots) - 1) }

// find returns the index of the entry of a term, -1 if there is none. A nil term matches
// the first entry with the low half of the hash.
func (s *shard) find(hash uint64, term []byte) int {
	if len(s.slots) == 0 {
		return -1
	}
	for at := s.slot(hash); s.slots[at] != 0; at = (at + 1) & (len(s.slots) - 1) {
		if s.slots[at]>>32 != hash&0xffffffff {
			continue
		}
		i := int(uint32(s.slots[at]) - 1)
		if e := &s.entries[i]; term == nil || e.hash == hash && string(s.term(e)) == string(term) {
			return i
		}
	}
	return -1
}

// insert adds a term that is not there, with a cell of class, and returns its index.
func (s *shard) insert(hash uint64, term []byte, class uint32) int {
	if len(s.slots) < 2*(len(s.entries)+1) {
		s.slots = make([]uint64, max(8, 2*len(s.slots)))
		for i := range s.entries {
			s.place(i)
		}
	}
	s.entries = append(s.entries, entry{hash: hash, offset: uint32(len(s.terms)), length: uint8(len(term)), cell: cell{class: class}})
	s.terms = append(s.terms, term...)
	s.place(len(s.entries) - 1)
	return len(s.entries) - 1
}

// place enters entry i in the slots.
func (s *shard) place(i int) {
	hash := s.entries[i].hash
	at := s.slot(hash)
	for s.slots[at] != 0 {
		at = (at + 1) & (len(s.slots) - 1)
	}
	s.slots[at] = hash<<32 | uint64(i+1)
}

// cellOf returns the cell of a class, made if it is new; valid until the next call.
func (e *entry) cellOf(class uint32) *cell {
	if e.class == class {
		return &e.cell
	}
	at, found := slices.BinarySearchFunc(e.others, class, func(c cell, class uint32) int { return cmp.Compare(c.class, class) })
	if !found {
		e.others = slices.Insert(e.others, at, cell{class: class})
	}
	return &e.others[at]
}

// changes appends the changes of a term by the records above from up to seq.
func (e *entry) changes(list []Change, from, seq uint64) []Change {
	list = e.cell.changes(list, from, seq)
	for i := range e.others {
		list = e.others[i].changes(list, from, seq)
	}
	return list
}

func (c *cell) changes(list []Change, from, seq uint64) []Change {
	v := &c.sums
	for v.seq > seq && v.before != nil {
		v = v.before
	}
	if v.seq > from && v.seq <= seq {
		x := Change{c.class, v.n, v.n, v.w, v.more}
		for _, n := range v.more {
			x.TF += n
		}
		list = append(list, x)
	}
	return list
}

// newest returns the position of the last record with the term.
func (e *entry) newest() uint64 {
	seq := e.seq
	for i := range e.others {
		seq = max(seq, e.others[i].seq)
	}
	return seq
}

// next makes the sums those of a record, and keeps the ones before if a reader may see them.
func (s *sums) next(at At) {
	if s.seq > 0 && s.seq <= at.Committed {
		s.push(at.Oldest)
	}
	if s.seq <= at.From {
		s.n, s.w, s.more = 0, 0, nil
	}
	s.seq = at.Seq
}

// trimmed is how many sums a push looks at for those that no reader needs any more: there are more
// while somebody reads for long, and they go at once when he has ended.
const trimmed = 16

// push keeps the sums before they change, and drops those before that no reader from oldest on
// sees.
func (s *sums) push(oldest uint64) {
	before := s.before
	if before == nil || s.seq > oldest {
		before = new(sums)
	}
	*before = *s // perhaps over sums that nobody sees any more
	s.before, s.more = before, slices.Clone(s.more)
	for v, n := before, 0; v != nil && n < trimmed; v, n = v.before, n+1 {
		if v.seq <= oldest {
			v.before = nil
		}
	}
}

// add adds a document with n occurrences of the term and weight w, sign times.
func (s *sums) add(sign int64, n uint8, w uint64) {
	s.n += sign
	s.w += sign * int64(w)
	s.more = atLeast(s.more, int(n)-1)
	for j := range int(n) - 1 {
		s.more[j] += sign
	}
}

// keep drops the entries for which keep returns false.
func (s *shard) keep(keep func(*entry) bool) {
	left := shard{slots: make([]uint64, len(s.slots)), entries: make([]entry, 0, len(s.entries)), terms: make([]byte, 0, len(s.terms))}
	for i := range s.entries {
		if e := &s.entries[i]; keep(e) {
			to := &left.entries[left.insert(e.hash, s.term(e), e.class)]
			to.cell, to.others = e.cell, e.others
		}
	}
	*s = left
}
