package rows

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/table"
)

// A table holds the longest term of a document.
var _ [table.MaxTerm - count.MaxTermBytes]struct{} = [0]struct{}{}

// Tally sums documents in memory: for each term and class the change that they make to
// its counts, which is negative where they are taken away. It is used to add many
// documents to the rows at once.
type Tally struct {
	arena []byte
	terms [][]tallyTerm // chunks of tallyChunk: many terms are never copied to grow
	size  int           // terms
	slots []tallySlot   // open addressing
	near  uint64        // keeps the compiler from removing Touch
}

const tallyChunk = 1 << 9

// tallySlot has enough of a hash to skip nearly all other terms without reading them.
type tallySlot struct {
	tag  uint32 // the high half of the hash
	term int32  // index into terms plus one, 0 is empty
}

type tallyTerm struct {
	hash   uint64
	offset uint64
	length uint8
	one    bool     // whether there is a first cell
	first  Change   // most terms have no other
	others []Change // in order of class
}

// NewTally returns an empty Tally.
func NewTally() *Tally { return &Tally{slots: make([]tallySlot, 1<<10)} }

// AddDocument adds the terms of a document of class sign times, 1 or -1.
func (t *Tally) AddDocument(terms *Terms, class uint32, sign int64) {
	t.touchHashes(terms.Hashes)
	for i, hash := range terms.Hashes {
		n := terms.Terms[i].N
		c := t.cell(t.Find(hash, terms.Terms[i].Term), class)
		c.Docs += sign
		c.TF += sign * int64(n)
		c.W += sign * int64(terms.W(i))
		c.More = atLeast(c.More, int(n)-1)
		for j := range int(n) - 1 {
			c.More[j] += sign
		}
	}
}

// touchHashes prefetches the memory in which Find will look for terms with these hashes, in
// two loops that do nothing else, so that a processor overlaps many cache misses.
func (t *Tally) touchHashes(hashes []uint64) {
	mask := uint64(len(t.slots) - 1)
	for _, hash := range hashes {
		t.near |= uint64(t.slots[hash&mask].tag)
	}
	for _, hash := range hashes {
		if slot := t.slots[hash&mask]; slot.term != 0 {
			t.touch(slot.term - 1)
		}
	}
}

// touch prefetches a term, its bytes and its first cell.
func (t *Tally) touch(i int32) {
	e := t.at(int(i))
	t.near |= uint64(e.first.W)
	if e.offset < uint64(len(t.arena)) {
		t.near |= uint64(t.arena[e.offset])
	}
}

// Touch prefetches the terms of these indices, which are read next.
func (t *Tally) Touch(terms []int32) {
	for _, i := range terms {
		t.touch(i)
	}
}

// AddCells adds the counts of a row. class maps the classes of the cells, which have
// their levels.
func (t *Tally) AddCells(hash uint64, term []byte, cells []table.Cell, class func(uint32) uint32) {
	i := t.Find(hash, term)
	for k := range cells {
		from := &cells[k]
		c := t.cell(i, class(from.Class))
		c.Docs += int64(from.DF)
		c.TF += int64(from.TF)
		c.W += int64(from.W)
		c.More = atLeast(c.More, len(from.U)-1)
		for j, u := range from.U[1:] {
			c.More[j] += int64(u)
		}
	}
}

// Size is the number of terms.
func (t *Tally) Size() int { return t.size }

// at returns term i.
func (t *Tally) at(i int) *tallyTerm { return &t.terms[i/tallyChunk][i%tallyChunk] }

// Hash returns the hash of term i.
func (t *Tally) Hash(i int) uint64 { return t.at(i).hash }

// Term returns the bytes of term i, valid until another is added.
func (t *Tally) Term(i int) []byte {
	e := t.at(i)
	return t.arena[e.offset : e.offset+uint64(e.length)]
}

// Find returns the index of term, which is added if it is new.
func (t *Tally) Find(hash uint64, term []byte) int {
	if len(t.slots) < 2*(t.size+1) {
		t.rehash(2 * len(t.slots))
	}
	mask := uint64(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		slot := t.slots[i]
		if slot.term == 0 {
			if t.size == len(t.terms)*tallyChunk {
				t.terms = append(t.terms, make([]tallyTerm, tallyChunk))
			}
			*t.at(t.size) = tallyTerm{hash: hash, offset: uint64(len(t.arena)), length: uint8(len(term))}
			t.arena = append(t.arena, term...)
			t.size++
			t.slots[i] = tallySlot{uint32(hash >> 32), int32(t.size)}
			return t.size - 1
		}
		if slot.tag == uint32(hash>>32) && t.at(int(slot.term-1)).hash == hash && bytes.Equal(t.Term(int(slot.term-1)), term) {
			return int(slot.term - 1)
		}
	}
}

func (t *Tally) rehash(n int) {
	t.slots = make([]tallySlot, n)
	for k := range t.size {
		hash := t.at(k).hash
		i := hash & uint64(n-1)
		for t.slots[i].term != 0 {
			i = (i + 1) & uint64(n-1)
		}
		t.slots[i] = tallySlot{uint32(hash >> 32), int32(k + 1)}
	}
}

// cell returns the change of term i in class, made if it is new; valid until the next call.
func (t *Tally) cell(i int, class uint32) *Change {
	term := t.at(i)
	if !term.one {
		term.one, term.first.Class = true, class
	}
	if term.first.Class == class {
		return &term.first
	}
	at, found := slices.BinarySearchFunc(term.others, class, func(c Change, class uint32) int { return cmp.Compare(c.Class, class) })
	if !found {
		term.others = slices.Insert(term.others, at, Change{Class: class})
	}
	return &term.others[at]
}

// Changes appends the changes of term i to list.
func (t *Tally) Changes(list []Change, i int) []Change {
	if e := t.at(i); e.one {
		list = append(append(list, e.first), e.others...)
	}
	return list
}

// ByHash returns the indices of all terms in order of hash.
func (t *Tally) ByHash() []int32 {
	return ByHash(t.size, t.Hash, func(a, b int32) int {
		return cmp.Or(cmp.Compare(t.Hash(int(a)), t.Hash(int(b))), bytes.Compare(t.Term(int(a)), t.Term(int(b))))
	})
}
