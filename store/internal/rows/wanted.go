package rows

import (
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/table"
)

// Wanted is a set of terms to look for among many. The shapes rule out most others, and
// wanted terms are found without their hash.
type Wanted struct {
	key    *table.Key
	shapes encoded.Shapes
	terms  []wantedTerm
	arena  []byte   // of terms
	slots  []uint32 // open addressing by shape: an index into terms plus one, 0 is empty
}

// wantedTerm is a term with the changes by the documents seen so far.
type wantedTerm struct {
	hash    uint64
	from    uint64 // the position up to which its table holds every record
	term    []byte
	changes []Change // of classes, as they came
	seq     uint64   // of the last document with the term, 0 if there was none
}

// add adds a step of class: n occurrences of weight w, in a document at position seq.
func (t *wantedTerm) add(class uint32, sign int64, n uint8, w, seq uint64) {
	t.seq = seq
	i := 0
	for i < len(t.changes) && t.changes[i].Class != class {
		i++
	}
	if i == len(t.changes) {
		t.changes = append(t.changes, Change{Class: class})
	}
	c := &t.changes[i]
	c.Docs += sign
	c.TF += sign * int64(n)
	c.W += sign * int64(w)
	if more := int(n) - 1 - len(c.More); more > 0 {
		c.More = append(c.More, make([]int64, more)...)
	}
	for j := range int(n) - 1 {
		c.More[j] += sign
	}
}

// NewWanted returns the empty set, with room for about so many terms, hashed with key.
func NewWanted(key *table.Key, terms int) *Wanted {
	return &Wanted{key: key, terms: make([]wantedTerm, 0, terms), arena: make([]byte, 0, 16*terms)}
}

// Add adds a term.
func (w *Wanted) Add(term []byte) {
	if w.find(term) != nil {
		return
	}
	w.arena = append(w.arena, term...)
	w.terms = append(w.terms, wantedTerm{hash: w.key.Hash(term), term: w.arena[len(w.arena)-len(term):]})
	w.shapes.Add(encoded.Shape(term))
	if len(w.slots) >= 2*len(w.terms) {
		w.place(len(w.terms) - 1)
		return
	}
	w.slots = make([]uint32, max(1<<10, 2*len(w.slots)))
	for i := range w.terms {
		w.place(i)
	}
}

// place enters term i in the slots.
func (w *Wanted) place(i int) {
	at := w.slot(w.terms[i].term)
	for w.slots[at] != 0 {
		at = (at + 1) & (len(w.slots) - 1)
	}
	w.slots[at] = uint32(i + 1)
}

func (w *Wanted) slot(term []byte) int {
	return int(uint32(encoded.Shape(term))*0x9e3779b1>>8) & (len(w.slots) - 1)
}

// find returns a term with its hash, nil if it is not in the set.
func (w *Wanted) find(term []byte) *wantedTerm {
	if len(w.slots) == 0 {
		return nil
	}
	for at := w.slot(term); w.slots[at] != 0; at = (at + 1) & (len(w.slots) - 1) {
		if t := &w.terms[w.slots[at]-1]; string(t.term) == string(term) {
			return t
		}
	}
	return nil
}
