package rows

import (
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/table"
)

// Terms are the terms of a document as steps whose class and sign are not set yet. It
// reuses its memory.
type Terms struct {
	Weight uint64 // of all of them
	Steps  []Step
	Hashes []uint64
	arena  []byte
}

// Set sets t to the terms of a document whose shapes are in like, or to all if that is nil. Nobody
// knows yet how many documents have them.
func (t *Terms) Set(key *table.Key, doc *encoded.Document, like *encoded.Shapes) {
	*t = Terms{Steps: t.Steps[:0], Hashes: t.Hashes[:0], arena: t.arena[:0]}
	w, sum := doc.EachLike(like, func(term []byte, n uint8) {
		t.arena = append(t.arena, term...)
		own := t.arena[len(t.arena)-len(term):]
		hash := key.Hash(own)
		t.Hashes = append(t.Hashes, hash)
		t.Steps = append(t.Steps, Step{Hash: hash, Term: own, N: n, Docs: unknown, All: unknown})
	})
	for i := range t.Steps {
		s := &t.Steps[i]
		s.W = count.WeightOf(&w, s.Term, s.N)
	}
	t.Weight = sum
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
