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

// side is what speaks for the answer, or against it.
type side struct {
	Items []item                // the strongest, in order
	Left  int                   // number of those that are weaker
	Rest  classify.Contribution // what those contribute together
}

// sides returns the n strongest items for the answer and the n strongest against it, or
// all if n is 0. What is worth nothing is counted among the items against the answer.
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
