package classify

import (
	"slices"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// AttributeInfo is what is known of an attribute that documents were learned with.
type AttributeInfo struct {
	*count.AttributeTotals

	// Documents is the number of documents that have it.
	Documents uint64

	// Alike and Dot are how much the classes are alike by it, by the measures Overlap
	// and DotProduct: the mean of all pairs of classes, by their documents. 1 if they
	// are the same, 0 if the attribute tells any two apart; see Options.Screen.
	Alike, Dot float64

	// Weight is what it has in the model that answers by default, if it was Fitted:
	// 0 for an attribute that does not help beside the words and the others. Those
	// of a database of very many attributes share one.
	Weight float64
	Fitted bool
}

// Attributes returns what is known of the attributes, in order of name.
func (c *Classifier) Attributes() ([]AttributeInfo, error) {
	var list []AttributeInfo
	err := c.db.View(func(s *store.Snapshot) error {
		t := totalsOf(s)
		var err error
		if t.Attributes, err = s.Attributes(); err != nil {
			return err
		}
		weights := c.attributeWeights(s, t)
		for i, a := range t.Attributes {
			info := AttributeInfo{AttributeTotals: a}
			for k := range a.Classes {
				info.Documents += a.Classes[k].N
			}
			if info.Alike, err = likeness(s, a, Overlap); err != nil {
				return err
			}
			if info.Dot, err = likeness(s, a, DotProduct); err != nil {
				return err
			}
			info.Weight, info.Fitted = weights[i], weights[i] >= 0
			list = append(list, info)
		}
		return nil
	})
	return list, err
}

// attributeWeights returns the fitted weight of each attribute of t, -1 for none.
func (c *Classifier) attributeWeights(s *store.Snapshot, t Totals) []float64 {
	weights := make([]float64, len(t.Attributes))
	for i := range weights {
		weights[i] = -1
	}
	k := c.calibrations.read(s)
	if k == nil {
		return weights
	}
	m := k.model(k.Chosen)
	stack, ok := stackOf(k.Chosen)
	if m == nil || !ok || len(m.Weights) != len(m.Components) {
		return weights
	}
	stack = stack.attributed(c.attributes, t, false)
	names := stack.componentNames()
	at := 0
	for p, component := range stack.Components {
		fitted := slices.Index(m.Components, names[p])
		switch component.Model.(type) {
		case oneAttribute:
			if fitted >= 0 {
				weights[at] = m.Weights[fitted]
			}
			at++
		case Attributes:
			for i := range weights {
				if fitted >= 0 {
					weights[i] = m.Weights[fitted]
				}
			}
		}
	}
	return weights
}
