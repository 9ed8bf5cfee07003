package model

import (
	"slices"
)

// TermSums computes the scores of a Stack from the contributions of terms, which are the
// same in all documents. It caches the contributions of terms, up to a bound, for later
// documents. Once its fields are set it is safe for concurrent use.
type TermSums struct {
	// Strong, if not nil, returns the ratio of a term to report, or 0.
	Strong func(row *Row) float64

	// FieldsOf, if not nil, is Evidence.FieldsOf.
	FieldsOf func(term []byte) Fields

	stack   *stackScorer
	classes int
	records termRecords
	first   []int  // by part of the stack: the first sum that terms contribute to
	lists   []list // parts that are neither ratios nor a Layer
	layer   int    // part that is a Layer, -1 if there is none
	means   int    // sums of ratios
	sums    int    // other sums
}

// list is a group of parts that weigh terms equally.
type list struct {
	weights *countWeights
	parts   []int
}

// NewTermSums returns nil for a scorer that does not sum contributions, or for too many
// classes.
func NewTermSums(scorer Scorer, classes int) *TermSums {
	stack, ok := scorer.(*stackScorer)
	if !ok {
		return nil
	}
	k := &TermSums{stack: stack, classes: classes, first: make([]int, len(stack.parts)), layer: -1}
	parts := 0
	for i := range stack.parts {
		if stack.parts[i].attributes {
			continue
		}
		if parts++; !k.add(i) {
			return nil
		}
	}
	if parts == 0 || parts*classes > maxContributions || max(k.means, k.sums) > maxSums || len(k.lists) > maxLists {
		return nil
	}
	return k
}

// add adds part i, and reports whether that can be.
func (k *TermSums) add(i int) bool {
	switch p := &k.stack.parts[i]; {
	case p.ratios != nil:
		k.first[i] = k.means
		k.means += p.ratios.sums()
		return true
	case p.terms == nil || Component{Model: p.model}.Levels() || p.layer != nil && k.layer >= 0: // there is room for one Layer
		return false
	case p.layer != nil:
		k.layer = i
	default:
		weights := p.terms.weights
		at := slices.IndexFunc(k.lists, func(one list) bool { return one.weights == weights })
		if at < 0 {
			at = len(k.lists)
			k.lists = append(k.lists, list{weights: weights})
		}
		k.lists[at].parts = append(k.lists[at].parts, i)
	}
	k.first[i] = k.sums
	k.sums += k.classes
	return true
}
