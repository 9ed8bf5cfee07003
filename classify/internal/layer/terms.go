package layer

import (
	"hash/maphash"

	"github.com/polya-classifier/polya/store/count"
)

// Terms numbers terms from 0, in the order of their first occurrence, so that calibrating
// looks up each once, however many documents have it. The zero Terms are empty. Hashes use
// a seed of the process, so that nobody can write terms that collide, and all 64 bits of the
// hash stand for the term: of a million terms two collide once in 30 million times.
type Terms struct {
	seed  maphash.Seed
	arena []byte
	ends  []uint64   // end of each term in the arena
	slots []numbered // open addressing, a power of 2
	met   []bool     // by number: First was asked of it
	rows  rows
}

// numbered is a term. Empty slots have the number 0.
type numbered struct {
	hash   uint64
	number uint32 // plus one
}

const firstTerms = 1 << 10

// Len returns the number of terms.
func (x *Terms) Len() int { return len(x.ends) }

// Term returns the term with this number. It must not be changed.
func (x *Terms) Term(i int) []byte {
	from := uint64(0)
	if i > 0 {
		from = x.ends[i-1]
	}
	return x.arena[from:x.ends[i]:x.ends[i]]
}

// Numbers appends the numbers of terms to dst. New terms get the next ones.
func (x *Terms) Numbers(dst []uint32, terms []count.TermCount) []uint32 {
	for 4*(len(x.ends)+len(terms)) >= 3*len(x.slots) {
		x.grow()
	}
	for i := range terms {
		hash := maphash.Bytes(x.seed, terms[i].Term)
		slot := x.slot(hash)
		if slot.number == 0 {
			x.arena = append(x.arena, terms[i].Term...)
			x.ends = append(x.ends, uint64(len(x.arena)))
			*slot = numbered{hash, uint32(len(x.ends))}
		}
		dst = append(dst, slot.number-1)
	}
	return dst
}

// First reports whether it has not been asked of the term with this number before.
func (x *Terms) First(number uint32) bool {
	x.met = append(x.met, make([]bool, x.Len()-len(x.met))...)
	first := !x.met[number]
	x.met[number] = true
	return first
}

// slot returns the slot of the term of that hash, or the one that it would get.
func (x *Terms) slot(hash uint64) *numbered {
	mask := uint64(len(x.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		if slot := &x.slots[at]; slot.number == 0 || slot.hash == hash {
			return slot
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
	for _, n := range before {
		if n.number > 0 {
			*x.slot(n.hash) = n
		}
	}
}
