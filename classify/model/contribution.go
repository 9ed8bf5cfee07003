package model

import (
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// contribution is what a term by itself adds to the score of a class, but for a weight
// by how often the document has the term.
type contribution struct {
	class int
	value float64
}

// contributions is memory for those of one term.
type contributions struct {
	list []contribution
	has  []bool // by class, all false
}

// of makes room for one of each cell.
func (m *contributions) of(cells []count.Cell) []contribution {
	if cap(m.list) < len(cells) {
		m.list = make([]contribution, 2*len(cells))
	}
	m.list = m.list[:len(cells)]
	return m.list
}

// contributor is a Scorer whose scores are sums of contributions and a rest.
type contributor interface {
	Scorer

	// weights are what the contributions are weighed with, by occurrences.
	weights() *countWeights

	// contribute sets memory to the contributions of a term.
	contribute(row *Row, memory *contributions)

	// conclude turns the weighed sums by class into scores. The weights of all terms
	// make total. Of e only the numbers of occurrences are read.
	conclude(e *Evidence, sums []float64, total float64)
}

// sumContributions sets scores to those of s.
func sumContributions(s contributor, e *Evidence, scores []float64, memory *contributions) {
	clear(scores)
	weights, total := s.weights(), 0.0
	for i := range e.Rows {
		row := &e.Rows[i]
		weight := weights[row.X]
		total += weight
		s.contribute(row, memory)
		for _, one := range memory.list {
			scores[one.class] += weight * one.value
		}
	}
	s.conclude(e, scores, total)
}

// TermSums computes the scores of a Stack from the contributions of terms, which are the
// same in all documents: what a Cache needs. It is immutable once the fields are set.
type TermSums struct {
	// Keep, if not nil, leaves out terms; see Evidence.Keep.
	Keep func(term []byte, cells []count.Cell) bool

	// Strong, if not nil, returns the ratio of a term that is to be reported, or 0.
	Strong func(row *Row) float64

	// Field says whether a term is of a field, and not of the text, of a document.
	Field func(term []byte) bool

	stack   *stackScorer
	classes int
	weights []*countWeights // different ones
	of      [][]source      // by weights
	sums    int             // that contributions are added to
}

// source is a part of the Stack that terms contribute to.
type source struct {
	part *part
	to   int // sum of its first class, by its first bound
}

const (
	// maxContributions is the most that a term may have, which are those to each class
	// of each part: of the default Stack 102 classes. With more, few terms would fill
	// the memory there is for them.
	maxContributions = 1 << 9

	// maxSums is how many sums there can be, for two bytes say which.
	maxSums = 1 << 16
)

// NewTermSums returns nil for a scorer that is not of that kind, or of more classes than
// there is memory for.
func NewTermSums(scorer Scorer, classes int) *TermSums {
	stack, ok := scorer.(*stackScorer)
	if !ok {
		return nil
	}
	k, each := &TermSums{stack: stack, classes: classes}, 0
	for i := range stack.parts {
		p := &stack.parts[i]
		if p.attributes {
			continue
		}
		weights, ok := p.countWeights()
		if !ok {
			return nil
		}
		at := slices.Index(k.weights, weights)
		if at < 0 {
			at = len(k.weights)
			k.weights, k.of = append(k.weights, weights), append(k.of, nil)
		}
		k.of[at] = append(k.of[at], source{p, k.sums})
		k.sums += classes * len(p.components)
		each += classes
	}
	if k.sums == 0 || k.sums > maxSums || each > maxContributions || len(k.weights) > maxWeights {
		return nil
	}
	return k
}

// countWeights returns what the contributions to the part are weighed with, ok false
// if it has none.
func (p *part) countWeights() (weights *countWeights, ok bool) {
	if p.ratios != nil {
		return p.ratios.weights(), true
	}
	if s, ok := p.scorer.(contributor); ok {
		return s.weights(), true
	}
	return nil, false
}

// contribute sets memory to what a term contributes to the part, as class the sum that
// it is for, counted from that of the part's first class by its first bound.
func (p *part) contribute(row *Row, classes int, memory *contributions) {
	if p.ratios == nil {
		p.scorer.(contributor).contribute(row, memory)
		return
	}
	p.ratios.contribute(row, memory)
	list := memory.list[:0]
	for _, one := range memory.list {
		if b := p.ratios.beyond(one.value); b >= 0 {
			list = append(list, contribution{b*classes + one.class, one.value})
		}
	}
	memory.list = list
}
