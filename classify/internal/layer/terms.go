package layer

import (
	"bytes"
	"hash/maphash"

	"github.com/polya-classifier/polya/store/count"
)

// Terms numbers terms from 0 on, in the order in which they come: calibrating looks each of
// them up in the counts once, however many documents have it. The zero Terms are none. They
// are hashed with a seed of the process, so that nobody can write terms that collide.
type Terms struct {
	seed   maphash.Seed
	arena  []byte
	ends   []uint64   // of each term, in the arena
	slots  []numbered // open addressing, a power of 2
	hashes []uint64   // memory of Numbers
	near   uint32     // keeps the compiler from leaving out what Numbers touches
}

// numbered is a term. The slots of none have the number 0.
type numbered struct {
	tag, number uint32 // the high half of its hash, and its number plus one
	place       uint64 // of its first byte in the arena, and its length in the low byte
}

// termOf returns the bytes of a term, which count.MaxTermBytes bounds to a byte of length.
func (x *Terms) termOf(n numbered) []byte {
	return x.arena[n.place>>8 : n.place>>8+n.place&0xff]
}

const firstTerms = 1 << 10

// Len is how many terms there are.
func (x *Terms) Len() int { return len(x.ends) }

// Term returns the term of that number. It is not to be changed.
func (x *Terms) Term(i int) []byte {
	from := uint64(0)
	if i > 0 {
		from = x.ends[i-1]
	}
	return x.arena[from:x.ends[i]:x.ends[i]]
}

// Numbers appends the numbers of terms to dst. New terms get the next ones.
func (x *Terms) Numbers(dst []uint32, terms []count.TermCount) []uint32 {
	for 2*(len(x.ends)+len(terms)) >= len(x.slots) {
		x.grow()
	}
	mask := uint64(len(x.slots) - 1)
	x.hashes = x.hashes[:0]
	for i := range terms { // to memory for all terms at once, as a store does
		hash := maphash.Bytes(x.seed, terms[i].Term)
		x.hashes = append(x.hashes, hash)
		x.near |= x.slots[hash&mask].tag
	}
	for _, hash := range x.hashes {
		if place := x.slots[hash&mask].place >> 8; place < uint64(len(x.arena)) {
			x.near |= uint32(x.arena[place])
		}
	}
	for i := range terms {
		dst = append(dst, x.number(terms[i].Term, x.hashes[i]))
	}
	return dst
}

// number returns the number of a term, which gets one if it is new; there is room for it.
func (x *Terms) number(term []byte, hash uint64) uint32 {
	mask, tag := uint64(len(x.slots)-1), uint32(hash>>32)
	for at := hash & mask; ; at = (at + 1) & mask {
		switch slot := &x.slots[at]; {
		case slot.number == 0:
			place := uint64(len(x.arena))<<8 | uint64(len(term))
			x.arena = append(x.arena, term...)
			x.ends = append(x.ends, uint64(len(x.arena)))
			*slot = numbered{tag, uint32(len(x.ends)), place}
			return slot.number - 1
		case slot.tag == tag && bytes.Equal(x.termOf(*slot), term):
			return slot.number - 1
		}
	}
}

// grow doubles the slots.
func (x *Terms) grow() {
	if x.slots == nil {
		x.seed = maphash.MakeSeed()
	}
	before := x.slots
	x.slots = make([]numbered, max(firstTerms, 2*len(before)))
	mask := uint64(len(x.slots) - 1)
	for _, n := range before {
		if n.number == 0 {
			continue
		}
		at := maphash.Bytes(x.seed, x.termOf(n)) & mask
		for x.slots[at].number != 0 {
			at = (at + 1) & mask
		}
		x.slots[at] = n
	}
}
