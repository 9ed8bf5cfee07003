package store

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/table"
)

// A table holds the longest term of a document.
var _ [table.MaxTerm - count.MaxTermBytes]struct{} = [0]struct{}{}

// tally sums documents in memory: for each term and class the change that they
// make to its counts, which is negative where they are taken away. It is how
// many documents at once reach the rows.
type tally struct {
	key     *table.Key
	arena   []byte
	terms   []tallyTerm
	slots   []tallySlot    // open addressing
	cells   []tallyCell    // of terms that have more than one
	indexes []tallyIndex   // of terms that have many
	born    map[int]uint64 // by index into terms: the epoch of its row; nil: that of the folder
}

// tallySlot has enough of a hash to pass over nearly all other terms without
// reading them.
type tallySlot struct {
	tag  uint32 // the high half of the hash
	term int32  // index into terms plus one, 0 is empty
}

type tallyTerm struct {
	hash   uint64
	offset uint64
	length uint8
	one    bool      // whether there is a first cell
	index  int32     // index into indexes plus one, 0 is none
	first  tallyCell // most terms have no other
}

type tallyCell struct {
	class uint32
	next  int32 // index into cells plus one, 0 is none
	docs  int64 // change of U[0]
	w     int64
	more  []int64 // change of U[1], U[2], …
}

func newTally(key *table.Key) *tally {
	return &tally{key: key, slots: make([]tallySlot, 1<<10)}
}

// addBody adds a document of class sign times, 1 or -1. Of the terms it adds
// those that want has and for whose hash keep says yes; either may be nil.
func (t *tally) addBody(doc *encoded.Document, class uint32, sign int64, want *wanted, keep func(hash uint64) bool) {
	var w [count.MaxCount + 1]uint64
	weighed := false
	doc.Each(func(term []byte, n uint8) {
		if want != nil && !want.looksLike(term) {
			return
		}
		hash := t.key.Hash(term)
		if (want != nil && !want.hashes[hash]) || (keep != nil && !keep(hash)) {
			return
		}
		if !weighed {
			w, _ = doc.Weights()
			weighed = true
		}
		c := t.cell(t.find(hash, term), class)
		c.docs += sign
		c.w += sign * int64(w[n])
		c.grow(int(n) - 1)
		for j := range int(n) - 1 {
			c.more[j] += sign
		}
	})
}

// wanted is a set of terms to look for among many. Most others are told apart
// without their hash, by length and three of their bytes.
type wanted struct {
	hashes map[uint64]bool
	shapes [1 << 16 / 64]uint64
}

func newWanted() *wanted { return &wanted{hashes: make(map[uint64]bool)} }

func (w *wanted) add(key *table.Key, term []byte) {
	w.hashes[key.Hash(term)] = true
	s := shape(term)
	w.shapes[s/64] |= 1 << (s % 64)
}

func (w *wanted) looksLike(term []byte) bool {
	s := shape(term)
	return w.shapes[s/64]>>(s%64)&1 != 0
}

func shape(term []byte) uint16 {
	n := len(term)
	return uint16(term[0])*0x9e37 + uint16(term[n/2])*0x85eb + uint16(term[n-1])*0xc2b2 + uint16(n)*0x27d5
}

// addCells adds the counts of a row. class translates the classes
// of the cells, which carry their levels. It returns the index of the term.
func (t *tally) addCells(term []byte, cells []table.Cell, class func(uint32) uint32) int {
	i := t.find(t.key.Hash(term), term)
	for k := range cells {
		from := &cells[k]
		c := t.cell(i, class(from.Class))
		c.docs += int64(from.DF)
		c.w += int64(from.W)
		c.grow(len(from.U) - 1)
		for j, u := range from.U[1:] {
			c.more[j] += int64(u)
		}
	}
	return i
}

// bear says in which epoch the row of term i was born, should it be new.
func (t *tally) bear(i int, epoch uint64) {
	if t.born == nil {
		t.born = make(map[int]uint64)
	}
	if epoch > 0 {
		t.born[i] = epoch
	}
}

func (c *tallyCell) grow(levels int) {
	for len(c.more) < levels {
		c.more = append(c.more, 0)
	}
}

func (t *tally) term(i int) []byte {
	e := &t.terms[i]
	return t.arena[e.offset : e.offset+uint64(e.length)]
}

// find returns the index of term, which is added if it is new.
func (t *tally) find(hash uint64, term []byte) int {
	if len(t.slots) < 2*(len(t.terms)+1) {
		t.rehash(2 * len(t.slots))
	}
	mask := uint64(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		slot := t.slots[i]
		if slot.term == 0 {
			t.terms = append(t.terms, tallyTerm{hash: hash, offset: uint64(len(t.arena)), length: uint8(len(term))})
			t.arena = append(t.arena, term...)
			t.slots[i] = tallySlot{uint32(hash >> 32), int32(len(t.terms))}
			return len(t.terms) - 1
		}
		if slot.tag == uint32(hash>>32) && t.terms[slot.term-1].hash == hash && bytes.Equal(t.term(int(slot.term-1)), term) {
			return int(slot.term - 1)
		}
	}
}

func (t *tally) rehash(n int) {
	t.slots = make([]tallySlot, n)
	for k := range t.terms {
		hash := t.terms[k].hash
		i := hash & uint64(n-1)
		for t.slots[i].term != 0 {
			i = (i + 1) & uint64(n-1)
		}
		t.slots[i] = tallySlot{uint32(hash >> 32), int32(k + 1)}
	}
}

// cell returns the cell of class of term i, which is added if it is new. It is
// valid until the next call.
func (t *tally) cell(i int, class uint32) *tallyCell {
	term := &t.terms[i]
	if !term.one {
		term.one = true
		term.first.class = class
	}
	if term.first.class == class {
		return &term.first
	}
	cells := 1
	if at, known := t.indexed(term, class); at != 0 {
		return &t.cells[at-1]
	} else if !known {
		for at := term.first.next; at != 0; at = t.cells[at-1].next {
			if t.cells[at-1].class == class {
				return &t.cells[at-1]
			}
			cells++
		}
	}
	t.cells = append(t.cells, tallyCell{class: class, next: term.first.next})
	term.first.next = int32(len(t.cells))
	t.indexNew(term, class, cells+1)
	return &t.cells[len(t.cells)-1]
}

// start returns the first cell of the term, or nil.
func (e *tallyTerm) start() *tallyCell {
	if !e.one {
		return nil
	}
	return &e.first
}

// next returns the cell of a term that follows c, or nil.
func (t *tally) next(c *tallyCell) *tallyCell {
	if c.next == 0 {
		return nil
	}
	return &t.cells[c.next-1]
}

// byHash returns the indices of all terms in order of hash.
func (t *tally) byHash() []int32 {
	order := make([]int32, len(t.terms))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		if c := cmp.Compare(t.terms[a].hash, t.terms[b].hash); c != 0 {
			return c
		}
		return bytes.Compare(t.term(int(a)), t.term(int(b)))
	})
	return order
}

// folder adds the cells of a tally to rows. Its memory is used again.
type folder struct {
	row    table.Row
	out    []table.Cell
	levels []uint32
	epoch  uint64 // in which new rows are born

	// together puts the rows returned into shared memory: for those that are soon
	// written, and not kept one by one.
	together bool
	rows     []byte
}

// rowsChunk is how much memory for rows is taken at a time.
const rowsChunk = 64 << 10

// fold returns row with term i of t added, or nil if no class has the term
// then. moved is told of each class the document frequency before and after.
// It returns ErrNotLearned if a count would fall below zero or the row would
// not be one that documents can give, and ErrTooMany if they would be too many.
func (f *folder) fold(row []byte, t *tally, i int, moved func(class uint32, before, after uint64)) ([]byte, error) {
	f.out, f.levels = f.out[:0], f.levels[:0]
	born := f.epoch
	if t.born != nil {
		born = t.born[i]
	}
	if row != nil {
		if err := f.row.Decode(row, true); err != nil {
			return nil, err
		}
		f.out = append(f.out, f.row.Cells...)
		born = f.row.Born
	}
	for c := t.terms[i].start(); c != nil; c = t.next(c) {
		k, found := 0, false
		if len(f.out) > 0 {
			k, found = slices.BinarySearchFunc(f.out, c.class, func(x table.Cell, class uint32) int {
				return int(int64(x.Class) - int64(class))
			})
		}
		if !found {
			f.out = slices.Insert(f.out, k, table.Cell{Class: c.class})
		}
		before := f.out[k].DF
		cell, err := f.add(f.out[k], c)
		if err != nil {
			return nil, err
		}
		f.out[k] = cell
		moved(c.class, before, cell.DF)
	}
	f.out = slices.DeleteFunc(f.out, func(c table.Cell) bool { return c.DF == 0 })
	if len(f.out) == 0 {
		return nil, nil
	}
	if !f.together {
		return table.AppendRow(table.AppendBorn(nil, born), f.out), nil
	}
	if cap(f.rows)-len(f.rows) < rowsChunk/16 {
		f.rows = make([]byte, 0, rowsChunk)
	}
	start := len(f.rows)
	f.rows = table.AppendRow(table.AppendBorn(f.rows, born), f.out)
	return f.rows[start:len(f.rows):len(f.rows)], nil
}

// add returns cell with c added, or an error if that cannot be.
func (f *folder) add(cell table.Cell, c *tallyCell) (table.Cell, error) {
	start := len(f.levels)
	n := max(len(cell.U), 1+len(c.more))
	last := uint64(count.MaxDocs)
	sum := uint64(0)
	for j := range n {
		u := int64(0)
		if j < len(cell.U) {
			u = int64(cell.U[j])
		}
		if j == 0 {
			u += c.docs
		} else if j <= len(c.more) {
			u += c.more[j-1]
		}
		if j == 0 && u > count.MaxDocs {
			return cell, count.ErrTooMany
		}
		if u < 0 || uint64(u) > last {
			return cell, count.ErrNotLearned
		}
		last = uint64(u)
		sum += last
		f.levels = append(f.levels, uint32(u))
	}
	u := f.levels[start:]
	for len(u) > 0 && u[len(u)-1] == 0 {
		u = u[:len(u)-1]
	}
	w := int64(cell.W) + c.w
	out := table.Cell{Class: cell.Class, TF: sum, W: uint64(w), U: u[:len(u):len(u)]}
	if len(u) > 0 {
		out.DF = uint64(u[0])
	}
	if w < 0 || out.W > out.DF*count.WeightUnit {
		return cell, count.ErrNotLearned
	}
	return out, nil
}
