package store

import (
	"cmp"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
)

// This file changes the totals of a class. Where a count would fall below zero, which is
// returned as false, the class is useless from then on.

// addDocument counts a document of that weight, sign times, but for its length and its
// terms that are not dropped.
func addDocument(c *count.Class, doc *encoded.Document, weight uint64, sign int64) bool {
	return addTo(&c.Docs, sign) && addTo(&c.Tokens, sign*int64(doc.Tokens)) && addTo(&c.Weight, sign*int64(weight)) && dropTerms(c, doc, sign)
}

// holdsTerms returns whether no term is in more documents than have one at all.
func holdsTerms(c *count.Class) bool {
	n := len(c.Frequencies)
	return n == 0 || c.Frequencies[n-1].N <= nonEmpty(c)
}

// nonEmpty is the number of documents with terms.
func nonEmpty(c *count.Class) uint64 {
	if len(c.Lengths) > 0 && c.Lengths[0].N == 0 {
		return c.Docs - c.Lengths[0].Count
	}
	return c.Docs
}

// dropTerms counts the dropped terms of a document.
func dropTerms(c *count.Class, doc *encoded.Document, sign int64) bool {
	tokens, weight := doc.DroppedSums()
	return addTo(&c.Dropped, sign*int64(tokens)) && addTo(&c.DroppedWeight, sign*int64(weight))
}

// moveTerms counts that the document frequency of n terms has gone from before to
// after.
func moveTerms(c *count.Class, before, after uint64, n int64) bool {
	ok := true
	if before > 0 {
		ok = addPair(&c.Frequencies, before, -n) && addTo(&c.Terms, -n)
	}
	if after > 0 {
		ok = ok && addPair(&c.Frequencies, after, n) && addTo(&c.Terms, n)
	}
	return ok
}

func addTo(v *uint64, d int64) bool {
	*v += uint64(d)
	return d >= 0 || *v < *v-uint64(d)
}

// addPair adds d to the count of n, and returns false if that falls below zero.
func addPair(pairs *[]count.Pair, n uint64, d int64) bool {
	i, found := slices.BinarySearchFunc(*pairs, n, func(p count.Pair, n uint64) int { return cmp.Compare(p.N, n) })
	if !found {
		if d == 0 {
			return true
		}
		*pairs = slices.Insert(*pairs, i, count.Pair{N: n, Count: 0})
	}
	p := &(*pairs)[i]
	if !addTo(&p.Count, d) {
		return false
	}
	if p.Count == 0 {
		*pairs = slices.Delete(*pairs, i, i+1)
	}
	return true
}
