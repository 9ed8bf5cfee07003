package rows

// shard is the part of an Overlay for a range of hashes. Its numbers are in few slices:
// one memory access leads to a term and to the newest sum of its first class.
type shard struct {
	slots   []uint64 // open addressing: the low half of a hash above an index into entries plus one, 0 is empty
	entries []entry
	terms   []byte
	cells   []cell // of terms that more than one class has; cells[0] is none
}

// entry is a term of the tail.
type entry struct {
	hash   uint64
	offset uint32
	length uint8
	cell         // most have no other
	all    int64 // documents of all classes that have the term, as of the newest record; see unknown
}

type cell struct {
	class uint32
	next  int32 // index of the next cell of the term, 0 if it is the last
	sums        // the newest; before any record of seq 0
	docs  int64 // documents of the class that have the term, as of the newest record; see unknown
}

// unknown is the number of documents of a term before its table has been read.
const unknown = -1

// sums is the sum of the records up to seq that were not in the table when the last of
// them was added.
type sums struct {
	seq    uint64
	w      int64
	n      int32 // documents
	own    bool  // nobody else has more
	more   []int64
	before *sums // that a reader may still see, or nil
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
		s.grow(2 * len(s.slots))
	}
	s.entries = append(s.entries, entry{
		hash: hash, all: unknown, offset: uint32(len(s.terms)), length: uint8(len(term)), cell: cell{class: class, docs: unknown},
	})
	s.terms = append(s.terms, term...)
	s.place(len(s.entries) - 1)
	return len(s.entries) - 1
}

// grow makes room for at least so many slots.
func (s *shard) grow(slots int) {
	n := 8
	for n < slots {
		n *= 2
	}
	s.slots = make([]uint64, n)
	for i := range s.entries {
		s.place(i)
	}
}

func (s *shard) place(i int) {
	hash := s.entries[i].hash
	at := s.slot(hash)
	for s.slots[at] != 0 {
		at = (at + 1) & (len(s.slots) - 1)
	}
	s.slots[at] = hash<<32 | uint64(i+1)
}

// next returns the cell of a term that follows c, or nil.
func (s *shard) next(c *cell) *cell {
	if c.next == 0 {
		return nil
	}
	return &s.cells[c.next]
}

// cell returns the cell of a class that the term has, or nil.
func (s *shard) cell(e *entry, class uint32) *cell {
	c := &e.cell
	for c != nil && c.class != class {
		c = s.next(c)
	}
	return c
}

// newCell adds a cell of a class that the term does not have.
func (s *shard) newCell(e *entry, class uint32) *cell {
	if len(s.cells) == 0 {
		s.cells = make([]cell, 1, 8)
	}
	s.cells = append(s.cells, cell{class: class, docs: unknown, next: e.next})
	e.next = int32(len(s.cells) - 1)
	return &s.cells[e.next]
}

// changes appends the changes of a term by the records above from up to seq.
func (s *shard) changes(list []Change, e *entry, from, seq uint64) []Change {
	for c := &e.cell; c != nil; c = s.next(c) {
		v := &c.sums
		for v.seq > seq && v.before != nil {
			v = v.before
		}
		if v.seq > from && v.seq <= seq {
			list = append(list, Change{c.class, int64(v.n), v.w, v.more})
		}
	}
	return list
}

// newest returns the position of the last record with the term.
func (s *shard) newest(e *entry) (seq uint64) {
	for c := &e.cell; c != nil; c = s.next(c) {
		seq = max(seq, c.seq)
	}
	return seq
}

// add adds a step to a cell; see Overlay.Add.
func (c *cell) add(step *Step, at At) {
	if c.seq > 0 && c.seq <= at.Committed {
		c.push(at.Oldest)
	}
	if c.seq <= at.From {
		c.n, c.w, c.more, c.own = 0, 0, nil, false
	}
	c.seq = at.Seq
	c.n += int32(step.Sign)
	c.w += step.Sign * int64(step.W)
	if step.N > 1 {
		more := c.more
		if !c.own || len(more) < int(step.N)-1 {
			more = make([]int64, max(len(c.more), int(step.N)-1))
			copy(more, c.more)
			c.own = true
		}
		for j := range step.N - 1 {
			more[j] += step.Sign
		}
		c.more = more
	}
}

// trimmed is how many sums a push looks at for those that no reader needs any more: there are more
// only while somebody reads for long, and they go at once when he has ended.
const trimmed = 16

// push keeps the sums before they change, and drops those that no reader from oldest on sees.
func (s *sums) push(oldest uint64) {
	before := s.before
	if before == nil || s.seq > oldest {
		before = new(sums)
	}
	*before = *s // perhaps over sums that nobody sees any more
	s.before, s.own = before, false
	for v, n := before, 0; v != nil && n < trimmed; v, n = v.before, n+1 {
		if v.seq <= oldest {
			v.before = nil
		}
	}
}

func (s *shard) keep(keep func(*entry) bool) {
	// Expect as many terms as before.
	left := shard{entries: make([]entry, 0, len(s.entries)), terms: make([]byte, 0, len(s.terms))}
	left.grow(2 * len(s.entries))
	for i := range s.entries {
		from := &s.entries[i]
		if !keep(from) {
			continue
		}
		to := &left.entries[left.insert(from.hash, s.term(from), from.class)]
		to.all = from.all
		for c := &from.cell; c != nil; c = s.next(c) {
			n := left.cell(to, c.class)
			if n == nil {
				n = left.newCell(to, c.class)
			}
			n.docs, n.sums = c.docs, c.sums
		}
	}
	*s = left
}
