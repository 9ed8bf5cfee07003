package rows

import (
	"cmp"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
)

// This file changes the totals of a class. The functions return false where a count would
// fall below zero, and then the class is useless.

// AddDocument counts a document sign times, except the terms that were not dropped.
func AddDocument(c *count.Class, doc *encoded.Document, weight uint64, sign int64) bool {
	dropped, droppedWeight := doc.DroppedSums()
	return AddTo(&c.Docs, sign) && AddTo(&c.Tokens, sign*int64(doc.Tokens)) && AddTo(&c.Weight, sign*int64(weight)) &&
		AddTo(&c.Dropped, sign*int64(dropped)) && AddTo(&c.DroppedWeight, sign*int64(droppedWeight)) && AddPair(&c.Lengths, doc.Tokens, sign)
}

// HoldsTerms returns whether no term has more documents than there are documents with terms.
func HoldsTerms(c *count.Class) bool {
	n := len(c.Frequencies)
	return n == 0 || c.Frequencies[n-1].N <= NonEmpty(c)
}

// NonEmpty returns the number of documents with terms.
func NonEmpty(c *count.Class) uint64 {
	if len(c.Lengths) > 0 && c.Lengths[0].N == 0 {
		return c.Docs - c.Lengths[0].Count
	}
	return c.Docs
}

// MoveTerms changes the document frequency of n terms from before to after.
func MoveTerms(c *count.Class, before, after uint64, n int64) bool {
	ok := true
	if before > 0 {
		ok = AddPair(&c.Frequencies, before, -n) && AddTo(&c.Terms, -n)
	}
	if after > 0 {
		ok = ok && AddPair(&c.Frequencies, after, n) && AddTo(&c.Terms, n)
	}
	return ok
}

// AddTo adds d to v, and returns false if the sum is below zero.
func AddTo(v *uint64, d int64) bool {
	*v += uint64(d)
	return d >= 0 || *v < *v-uint64(d)
}

// AddPair adds d to the count of n, and returns false if the sum is below zero.
func AddPair(pairs *[]count.Pair, n uint64, d int64) bool {
	i := int(min(n, uint64(len(*pairs)))) - 1 // frequencies have nearly all numbers from 1 on
	found := i >= 0 && (*pairs)[i].N == n
	if !found {
		i, found = slices.BinarySearchFunc(*pairs, n, func(p count.Pair, n uint64) int { return cmp.Compare(p.N, n) })
	}
	if !found {
		if d == 0 {
			return true
		}
		*pairs = slices.Insert(*pairs, i, count.Pair{N: n, Count: 0})
	}
	p := &(*pairs)[i]
	if !AddTo(&p.Count, d) {
		return false
	}
	if p.Count == 0 {
		*pairs = slices.Delete(*pairs, i, i+1)
	}
	return true
}
