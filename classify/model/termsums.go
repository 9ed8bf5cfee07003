package model

import (
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// TermSums computes the scores of a Stack from the contributions of terms, which are the
// same in all documents. What terms contribute is kept, up to a bound, for the documents
// that come next. Once the fields are set it is safe for concurrent use.
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
	records termRecords
	sources []source // in the order of the stack's parts
	lists   []list
	means   int     // sums that are divided by those of their weights
	sums    int     // others
	squared squared // the part whose squares are added up, nil if there is none
}

// source is a part of the Stack that terms contribute to.
type source struct {
	part *part
	list int // of which its contributions are
	to   int // its first sum
}

// list is of the contributions to several sources that are weighed alike and added to sums
// of one kind.
type list struct {
	weights  *countWeights
	means    bool
	from, to int // its sums
}

// NewTermSums returns nil for a scorer that is not of that kind, or of more classes than
// there is memory for.
func NewTermSums(scorer Scorer, classes int) *TermSums {
	stack, ok := scorer.(*stackScorer)
	if !ok {
		return nil
	}
	k := &TermSums{stack: stack, classes: classes}
	for i := range stack.parts {
		p := &stack.parts[i]
		if p.attributes {
			continue
		}
		weights := p.countWeights()
		if weights == nil {
			return nil
		}
		if p.squared != nil {
			if k.squared != nil {
				return nil // there is room for the squares of one
			}
			k.squared = p.squared
		}
		one := list{weights: weights, means: p.ratios != nil}
		at := slices.Index(k.lists, one)
		if at < 0 {
			at = len(k.lists)
			k.lists = append(k.lists, one)
		}
		k.sources = append(k.sources, source{part: p, list: at})
	}
	if n := len(k.sources); n == 0 || n*classes > maxContributions {
		return nil
	}
	k.number()
	return k
}

// number gives the sources of each list sums that follow each other.
func (k *TermSums) number() {
	for l := range k.lists {
		next := &k.sums
		if k.lists[l].means {
			next = &k.means
		}
		k.lists[l].from = *next
		for s := range k.sources {
			if from := &k.sources[s]; from.list == l {
				from.to = *next
				*next += from.part.sums(k.classes)
			}
		}
		k.lists[l].to = *next
	}
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
