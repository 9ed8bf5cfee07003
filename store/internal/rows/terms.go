package rows

import (
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/table"
)

// Terms are the terms of a document with their hashes and weights. It reuses its memory.
type Terms struct {
	Terms   []count.TermCount
	Hashes  []uint64
	Weight  uint64 // of all of them
	weights [count.MaxCount + 1]uint64
	decoder encoded.Decoder
	near    uint64 // keeps the compiler from removing Touch
}

// Set sets t to the terms of a document, hashed with key: those whose shapes are in like, or all
// if that is nil.
func (t *Terms) Set(key *table.Key, doc *encoded.Document, like *encoded.Shapes) {
	t.weights, t.Weight = doc.Weights()
	t.Terms, t.Hashes = t.decoder.Decode(doc, "").Terms, t.Hashes[:0]
	if like != nil {
		t.Terms = slices.DeleteFunc(t.Terms, func(x count.TermCount) bool { return !like.Has(x.Term) })
	}
	for i := range t.Terms {
		t.Hashes = append(t.Hashes, key.Hash(t.Terms[i].Term))
	}
}

// W returns the weight of term i.
func (t *Terms) W(i int) uint64 { return count.WeightOf(&t.weights, t.Terms[i].Term, t.Terms[i].N) }

// Runs returns how often each value occurs, in ascending order. It sorts values in place.
func Runs(values []uint64) []count.Pair {
	slices.Sort(values)
	var pairs []count.Pair
	for _, v := range values {
		if n := len(pairs); n > 0 && pairs[n-1].N == v {
			pairs[n-1].Count++
		} else {
			pairs = append(pairs, count.Pair{N: v, Count: 1})
		}
	}
	return pairs
}
