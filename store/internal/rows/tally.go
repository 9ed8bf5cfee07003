package rows

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/table"
)

// Tally sums documents in memory: for each term and class the change that they make to
// its counts, which is negative where they are taken away. It is used to add many
// documents to the rows at once.
type Tally struct {
	key     *table.Key
	arena   []byte
	terms   [][]tallyTerm // chunks of tallyChunk: many terms are never copied to grow
	Size    int           // the number of terms
	slots   []tallySlot   // open addressing
	changes []Change      // memory of Changes
	hashes  []uint64      // memory of AddDocument
	decoder encoded.Decoder
	near    uint64 // keeps the compiler from removing Touch
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

// NewTally returns an empty Tally. Terms are hashed with key.
func NewTally(key *table.Key) *Tally {
	return &Tally{key: key, slots: make([]tallySlot, 1<<10)}
}

// AddDocument adds a document of class sign times, 1 or -1, and returns its weight.
func (t *Tally) AddDocument(doc *encoded.Document, class uint32, sign int64) (weight uint64) {
	d := t.decoder.Decode(doc, "")
	w, weight := d.Weights()
	t.hashes = t.hashes[:0]
	for i := range d.Terms {
		t.hashes = append(t.hashes, t.key.Hash(d.Terms[i].Term))
	}
	t.touchHashes()
	for i := range d.Terms {
		term, n := d.Terms[i].Term, d.Terms[i].N
		c := t.cell(t.Find(t.hashes[i], term), class)
		c.Docs += sign
		c.W += sign * int64(count.WeightOf(&w, term, n))
		c.grow(int(n) - 1)
		for j := range int(n) - 1 {
			c.More[j] += sign
		}
	}
	return weight
}

// touchHashes prefetches the memory in which Find will look for the terms of t.hashes, in
// two loops that do nothing else, so that a processor overlaps many cache misses.
func (t *Tally) touchHashes() {
	mask := uint64(len(t.slots) - 1)
	for _, hash := range t.hashes {
		t.near |= uint64(t.slots[hash&mask].tag)
	}
	for _, hash := range t.hashes {
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

// AddCells adds the counts of a row sign times, 1 or -1. class maps the classes of the cells, which
// have their levels. It returns the index of the term.
func (t *Tally) AddCells(term []byte, cells []table.Cell, sign int64, class func(uint32) uint32) int {
	i := t.Find(t.key.Hash(term), term)
	for k := range cells {
		from := &cells[k]
		c := t.cell(i, class(from.Class))
		c.Docs += sign * int64(from.DF)
		c.W += sign * int64(from.W)
		c.grow(len(from.U) - 1)
		for j, u := range from.U[1:] {
			c.More[j] += sign * int64(u)
		}
	}
	return i
}

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
	if len(t.slots) < 2*(t.Size+1) {
		t.rehash(2 * len(t.slots))
	}
	mask := uint64(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		slot := t.slots[i]
		if slot.term == 0 {
			if t.Size == len(t.terms)*tallyChunk {
				t.terms = append(t.terms, make([]tallyTerm, tallyChunk))
			}
			*t.at(t.Size) = tallyTerm{hash: hash, offset: uint64(len(t.arena)), length: uint8(len(term))}
			if len(t.arena)+len(term) > cap(t.arena) {
				t.arena = slices.Grow(t.arena, len(t.arena)+count.MaxTermBytes) // append would copy it four times as often
			}
			t.arena = append(t.arena, term...)
			t.Size++
			t.slots[i] = tallySlot{uint32(hash >> 32), int32(t.Size)}
			return t.Size - 1
		}
		if slot.tag == uint32(hash>>32) && t.at(int(slot.term-1)).hash == hash && bytes.Equal(t.Term(int(slot.term-1)), term) {
			return int(slot.term - 1)
		}
	}
}

func (t *Tally) rehash(n int) {
	t.slots = make([]tallySlot, n)
	for k := range t.Size {
		hash := t.at(k).hash
		i := hash & uint64(n-1)
		for t.slots[i].term != 0 {
			i = (i + 1) & uint64(n-1)
		}
		t.slots[i] = tallySlot{uint32(hash >> 32), int32(k + 1)}
	}
}

// cell returns the change of a class by term i, made if it is new; valid until the next call.
func (t *Tally) cell(i int, class uint32) *Change {
	term := t.at(i)
	if !term.one {
		term.one, term.first.Class = true, class
	}
	if term.first.Class == class {
		return &term.first
	}
	at, found := slices.BinarySearchFunc(term.others, class, byClass)
	if !found {
		term.others = slices.Insert(term.others, at, Change{Class: class})
	}
	return &term.others[at]
}

// Changes returns the changes of the row of term i, valid until the next call.
func (t *Tally) Changes(i int) []Change {
	t.changes = t.changes[:0]
	if e := t.at(i); e.one {
		t.changes = append(append(t.changes, e.first), e.others...)
	}
	return t.changes
}

// ByHash returns the indices of all terms in order of hash.
func (t *Tally) ByHash() []int32 {
	return ByHash(t.Size, t.Hash, func(a, b int32) int {
		return cmp.Or(cmp.Compare(t.Hash(int(a)), t.Hash(int(b))), bytes.Compare(t.Term(int(a)), t.Term(int(b))))
	})
}

// ByHash returns the indices from 0 to n-1 in order of their hashes, and for equal hashes
// in the order of compare. Numbers sort several times faster than with a comparison
// function, so each index is put into the last bits of its hash.
func ByHash(n int, hash func(i int) uint64, compare func(a, b int32) int) []int32 {
	size := bits.Len(uint(n))
	packed, order := make([]uint64, n), make([]int32, n)
	for i := range packed {
		packed[i] = hash(i)>>size<<size | uint64(i)
	}
	slices.Sort(packed)
	for from, to := 0, 0; from < n; from = to {
		for to = from; to < n && packed[to]>>size == packed[from]>>size; to++ {
			order[to] = int32(packed[to] & (1<<size - 1))
		}
		if to > from+1 {
			slices.SortFunc(order[from:to], compare)
		}
	}
	return order
}

// Terms are the terms of a document as steps whose class and sign are not set yet. It
// reuses its memory.
type Terms struct {
	Weight uint64 // of all of them
	Steps  []Step
	Hashes []uint64

	decoder encoded.Decoder
}

// Set sets t to the terms of a document whose shapes are in like, or to all if that is nil. Nobody
// knows yet how many documents have them.
func (t *Terms) Set(key *table.Key, doc *encoded.Document, like *encoded.Shapes) {
	d := t.decoder.Decode(doc, "")
	w, sum := d.Weights()
	t.Steps, t.Hashes, t.Weight = t.Steps[:0], t.Hashes[:0], sum
	for _, one := range d.Terms {
		if like.Has(one.Term) {
			hash := key.Hash(one.Term)
			t.Hashes = append(t.Hashes, hash)
			t.Steps = append(t.Steps, Step{Hash: hash, Term: one.Term, N: one.N, W: count.WeightOf(&w, one.Term, one.N), Docs: unknown, All: unknown})
		}
	}
}

// Runs returns how often each value occurs, in ascending order. It sorts values in place.
func Runs(values []uint64) []count.Pair {
	slices.Sort(values)
	var pairs []count.Pair
	for _, v := range values {
		pairs = count.AppendPair(pairs, v, 1)
	}
	return pairs
}
