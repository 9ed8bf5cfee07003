package classify

import (
	"context"
	"slices"

	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/classify/overlap"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// AttributeInfo describes an attribute of learned documents.
type AttributeInfo struct {
	*count.AttributeTotals

	// Documents is the number of documents that have it.
	Documents uint64

	// Overlap is the mean similarity of the classes in this attribute, 0 to 1; see overlap.Mean.
	Overlap float64

	// Weight is its weight in the model that answers by default, if it was Fitted: 0 for an
	// attribute that does not help in addition to the words and the others, or to a Layer of all
	// attributes. With very many attributes all share one weight.
	Weight float64
	Fitted bool
}

// Attributes returns the attributes of learned documents, in order of name.
func (c *Classifier) Attributes(ctx context.Context) ([]AttributeInfo, error) {
	var list []AttributeInfo
	err := c.db.View(func(s *store.Snapshot) error {
		t, err := allTotals(s)
		if err != nil {
			return err
		}
		weights := c.attributeWeights(s, t)
		for i, a := range t.Attributes {
			info := AttributeInfo{AttributeTotals: a, Documents: a.Pooled().N}
			if info.Overlap, err = overlap.Mean(ctx, s, a); err != nil {
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
func (c *Classifier) attributeWeights(s *store.Snapshot, t model.Totals) []float64 {
	weights := slices.Repeat([]float64{-1}, len(t.Attributes))
	m := c.calibrations.read(s).Model(stackName)
	if m == nil {
		return weights
	}
	stack := defaultStack().WithAttributes(t, false)
	names := stack.ComponentNames()
	for p, component := range stack.Components {
		fitted := slices.Index(m.Components, names[p])
		for i, a := range t.Attributes {
			if fitted >= 0 && !component.IsLayer() && component.ReadsAttribute(a.Name) {
				weights[i] = m.Weights[fitted]
			}
		}
	}
	return weights
}
