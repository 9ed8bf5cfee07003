package model

import (
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// TermSums computes the scores of a Stack from the contributions of terms, which are the
// same in all documents: what a Cache needs. It is immutable once the fields are set.
type TermSums struct {
	// Keep, if not nil, leaves out terms; see Evidence.Keep.
	Keep func(term []byte, cells []count.Cell) bool

	// Strong, if not nil, returns the ratio of a term that is to be reported, or 0.
	Strong func(row *Row) float64

	// FieldsOf, if not nil, is that of the Evidence.
	FieldsOf func(term []byte) Fields

	// Field reports whether a term is of a field, and not of the text, of a document.
	Field func(term []byte) bool

	stack   *stackScorer
	classes int
	weights []*countWeights // different ones
	of      [][]source      // by weights
	sums    int             // that contributions are added to
	squared squared         // the part whose squares are added up, nil if there is none
}

// source is a part of the Stack that terms contribute to.
type source struct {
	part *part
	to   int // its first sum
}

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
		weights := p.countWeights()
		if weights == nil {
			return nil
		}
		at := slices.Index(k.weights, weights)
		if at < 0 {
			at = len(k.weights)
			k.weights, k.of = append(k.weights, weights), append(k.of, nil)
		}
		k.of[at] = append(k.of[at], source{p, k.sums})
		if p.squared != nil {
			if k.squared != nil {
				return nil // there is room for the squares of one
			}
			k.squared = p.squared
		}
		k.sums += p.sums(classes)
		each += classes
	}
	if k.sums == 0 || k.sums > maxSums || each > maxContributions || len(k.weights) > maxWeights {
		return nil
	}
	return k
}

// countWeights returns what the contributions to the part are weighed with, nil if it
// has none.
func (p *part) countWeights() *countWeights {
	switch {
	case p.ratios != nil:
		return p.ratios.weights()
	case p.terms != nil:
		return p.terms.weights()
	}
	return nil
}

// contribute sets memory to what a term contributes to the part, as class the sum that
// it is for, counted from the part's first.
func (p *part) contribute(row *Row, memory *contributions) {
	if p.ratios == nil {
		p.terms.contribute(row, memory)
		return
	}
	p.ratios.contribute(row, memory)
	list := memory.list[:0]
	for _, one := range memory.list {
		if b := p.ratios.beyond(one.value); b >= 0 {
			list = append(list, contribution{p.ratios.at(b, row) + one.class, one.value})
		}
	}
	memory.list = list
}
