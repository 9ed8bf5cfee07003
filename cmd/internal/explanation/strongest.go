package explanation

import (
	"cmp"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify"
)

type item struct {
	Term      *classify.TermContribution      // nil for an attribute
	Attribute *classify.AttributeContribution // nil for a term
	classify.Contribution
}

// side holds the contributions for the answer, or against it.
type side struct {
	Items []item                // the largest, in order
	Left  int                   // number of smaller ones
	Rest  classify.Contribution // total contribution of the smaller ones
}

// sides returns the n largest contributions for the answer and the n largest against it,
// or all if n is 0. Zero contributions count as against it.
func sides(e *classify.Explanation, n int) (favour, against side) {
	items := make([]item, 0, len(e.Terms)+len(e.Attributes))
	for i := range e.Attributes {
		items = append(items, item{Attribute: &e.Attributes[i], Contribution: e.Attributes[i].Contribution})
	}
	for i := range e.Terms {
		items = append(items, item{Term: &e.Terms[i], Contribution: e.Terms[i].Contribution})
	}
	slices.SortStableFunc(items, func(a, b item) int { return cmp.Compare(math.Abs(b.LogOdds), math.Abs(a.LogOdds)) })
	for _, item := range items {
		side := &against
		if item.LogOdds > 0 {
			side = &favour
		}
		if n > 0 && len(side.Items) >= n {
			side.Left++
			add(&side.Rest, &item.Contribution)
		} else {
			side.Items = append(side.Items, item)
		}
	}
	return favour, against
}
