package contribution

import (
	"cmp"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify"
)

// Item is a term or an attribute of an explanation.
type Item struct {
	Term      *classify.TermWeight      // nil for an attribute
	Attribute *classify.AttributeWeight // nil for a term
	classify.Part
}

// Side is what speaks for the answer, or against it.
type Side struct {
	Items []Item        // the strongest, in order
	Left  int           // number of those that are weaker
	Rest  classify.Part // what those contribute together
}

// Sides returns the n strongest items for the answer and the n strongest against it, or
// all if n is 0. What is worth nothing is counted among the items against the answer.
func Sides(e *classify.Explanation, n int) (favour, against Side) {
	items := make([]Item, 0, len(e.Terms)+len(e.Attributes))
	for i := range e.Attributes {
		items = append(items, Item{Attribute: &e.Attributes[i], Part: e.Attributes[i].Part})
	}
	for i := range e.Terms {
		items = append(items, Item{Term: &e.Terms[i], Part: e.Terms[i].Part})
	}
	slices.SortStableFunc(items, func(a, b Item) int { return cmp.Compare(math.Abs(b.LogOdds), math.Abs(a.LogOdds)) })
	for _, item := range items {
		side := &against
		if item.LogOdds > 0 {
			side = &favour
		}
		if n > 0 && len(side.Items) >= n {
			side.Left++
			Add(&side.Rest, &item.Part)
		} else {
			side.Items = append(side.Items, item)
		}
	}
	return favour, against
}
