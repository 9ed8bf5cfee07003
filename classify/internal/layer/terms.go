package layer

import (
	"hash/maphash"
	"slices"

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
	df    []uint64   // by number: the documents that have the term, 0 if its row was not read
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
	if n := len(x.ends) + len(terms); 4*n >= 3*len(x.slots) {
		x.Expect(max(n, 2*len(x.ends)))
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

// Expect makes room for n terms in all, of 16 bytes and 5/4 cells each: no table is copied as they come.
func (x *Terms) Expect(n int) {
	if x.slots == nil {
		x.seed = maphash.MakeSeed()
	}
	before, size := x.slots, max(firstTerms, len(x.slots))
	for 4*n >= 3*size {
		size *= 2
	}
	x.slots = make([]numbered, size)
	for _, n := range before {
		if n.number > 0 {
			*x.slot(n.hash) = n
		}
	}
	k := &x.rows
	x.arena, x.ends, x.df = grown(x.arena, len(x.arena)+16*(n-len(x.ends))), grown(x.ends, n), grown(x.df, n)
	k.places, k.cells = grown(k.places, n), grown(k.cells, min(len(k.cells)+5*(n-len(x.ends))/4, mostCells))
}

// grown returns list with room for n elements in all. slices.Grow would write to all of it.
func grown[T any](list []T, n int) []T { return append(make([]T, 0, max(n, len(list))), list...) }

// Reader reads rows, as a store.Snapshot does.
type Reader interface {
	AppendRows(memory []count.Cell, terms []count.TermCount, levels bool, f func(i int, cells []count.Cell) error) ([]count.Cell, error)
}

// mostCells is the number of cells from which no further rows are kept: 32 MB.
const mostCells = 1 << 20

// rows keeps the rows of numbered terms.
type rows struct {
	places []place // by number
	cells  []cell
	terms  []count.TermCount // reused: those to read
	which  []uint32          // their numbers
	memory []count.Cell
	near   int // keeps the compiler from removing reads
}

// place is where the cells of a term are; from is one more, 0 if they were not read.
type place struct{ from, n uint32 }

// cell is a count.Cell without levels.
type cell struct {
	df, tf, w uint64
	class     int
}

// AppendRows is the method of r without levels, for terms with these numbers. It reads each term from r
// once, as long as there is room to keep the rows.
func (x *Terms) AppendRows(r Reader, memory []count.Cell, terms []count.TermCount, numbers []uint32, f func(i int, cells []count.Cell) error) ([]count.Cell, error) {
	if len(x.rows.cells) >= mostCells {
		return r.AppendRows(memory, terms, false, f)
	}
	if err := x.readRows(r, numbers); err != nil {
		return memory, err
	}
	memory = slices.Grow(memory, 2*len(numbers))
	for i, number := range numbers {
		at, first := x.rows.places[number], len(memory)
		if at.n == 0 {
			continue
		}
		for _, c := range x.rows.cells[at.from-1:][:at.n] {
			memory = append(memory, count.Cell{Class: c.class, DF: c.df, TF: c.tf, W: c.w})
		}
		if err := f(i, memory[first:len(memory):len(memory)]); err != nil {
			return memory, err
		}
	}
	return memory, nil
}

// readRows reads the rows of these numbers that were not read yet. It touches the cells of the others:
// a processor can wait for many memory reads at once.
func (x *Terms) readRows(r Reader, numbers []uint32) (err error) {
	k := &x.rows
	k.places = append(k.places, make([]place, x.Len()-len(k.places))...)
	k.terms, k.which = k.terms[:0], k.which[:0]
	for _, number := range numbers {
		at := k.places[number]
		if at.n > 0 {
			k.near |= k.cells[at.from-1].class
		} else if at.from == 0 {
			k.terms, k.which = append(k.terms, count.TermCount{Term: x.Term(int(number)), N: 1}), append(k.which, number)
			k.places[number].from = 1 // if no class has it
		}
	}
	if len(k.terms) == 0 {
		return nil
	}
	k.memory, err = r.AppendRows(k.memory[:0], k.terms, false, func(i int, cells []count.Cell) error {
		k.places[k.which[i]] = place{uint32(len(k.cells) + 1), uint32(len(cells))}
		x.Read(k.which[i], cells)
		for _, c := range cells {
			k.cells = append(k.cells, cell{c.DF, c.TF, c.W, c.Class})
		}
		return nil
	})
	return err
}

// Read notes the row of the term with this number, so that Frequencies need not read it again.
func (x *Terms) Read(number uint32, cells []count.Cell) {
	x.df = append(x.df, make([]uint64, x.Len()-len(x.df))...)
	x.df[number] = 0
	for i := range cells {
		x.df[number] += cells[i].DF
	}
}

// Frequencies returns, by number, how many documents have each of the terms. It is valid until
// the next call.
func (x *Terms) Frequencies(r Reader) (df []uint64, err error) {
	const batch = 1 << 12
	x.df = append(x.df, make([]uint64, x.Len()-len(x.df))...)
	k := &x.rows
	for from := 0; from < len(x.df); {
		k.terms, k.which = k.terms[:0], k.which[:0]
		for ; from < len(x.df) && len(k.terms) < batch; from++ {
			if x.df[from] == 0 {
				k.terms, k.which = append(k.terms, count.TermCount{Term: x.Term(from), N: 1}), append(k.which, uint32(from))
			}
		}
		k.memory, err = r.AppendRows(k.memory[:0], k.terms, false, func(i int, cells []count.Cell) error {
			x.Read(k.which[i], cells)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return x.df, nil
}
