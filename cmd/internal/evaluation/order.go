package evaluation

import (
	"cmp"
	"slices"

	"github.com/polya-classifier/polya/classify/eval"
)

// shuffled returns docs in the order of a hash of seed and path; see eval.Order.
func (c *Corpus) shuffled(docs []int, seed uint64) []int {
	paths := make([]string, len(docs))
	for k, i := range docs {
		paths[k] = c.Docs[i].Path
	}
	order := eval.Order(paths, seed)
	for k, at := range order {
		order[k] = docs[at]
	}
	return order
}

// stratified returns docs in an order in which every prefix has about the class
// proportions of the whole: the documents of a class come in the order of shuffled, the
// j-th of its n, counted from 0, at
//
//	(j + ½) / n
//
// of the way; documents at the same place in order of class.
func (c *Corpus) stratified(docs []int, seed uint64) []int {
	n, seen := c.Count(docs), make([]int, len(c.Classes))
	order := c.shuffled(docs, seed)
	place := make(map[int]float64, len(docs))
	for _, i := range order {
		class := c.Docs[i].Class
		place[i] = (float64(seen[class]) + .5) / float64(n[class])
		seen[class]++
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(place[i], place[j]), cmp.Compare(c.Docs[i].Class, c.Docs[j].Class))
	})
	return order
}

// Folds returns the fold of each of docs; see eval.Folds.
func (c *Corpus) Folds(docs []int, k int, seed uint64) []int {
	paths, classes := make([]string, len(docs)), make([]int, len(docs))
	for at, i := range docs {
		paths[at], classes[at] = c.Docs[i].Path, c.Docs[i].Class
	}
	return eval.Folds(paths, classes, k, seed)
}

// shuffle puts the documents in the order of a hash of seed and path.
func (c *Corpus) shuffle(seed uint64) {
	var docs []Doc
	for _, i := range c.shuffled(c.all(), seed) {
		docs = append(docs, c.Docs[i])
	}
	c.Docs = docs
}
