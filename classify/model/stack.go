package model

import (
	"fmt"
	"slices"
)

// Component is an event model as part of a Stack.
type Component struct {
	// Model is the event model. It is not a Stack.
	Model EventModel

	// Gamma ≥ 0 tempers its scores by the length of the document: they are divided by n^Gamma,
	// n the number of distinct known terms. 0 suits a mean; sums as in naive Bayes are
	// overconfident on long documents, since terms are not independent.
	Gamma float64

	// Weight is the factor of its tempered scores, ≥ 0. A component of weight 0 is not
	// computed.
	Weight float64
}

// Stack combines the scores of several event models in a weighted sum. The score of class
// c is
//
//	b_c + Σ_m w_m S_mc / n^γ_m
//
// with S_mc the score of component m, n the number of distinct known terms of the
// document, and b_c a bias that corrects a bias of the components for or against the
// class. A Stack of one component is that model, calibrated. (Wolpert, Stacked
// Generalization, Neural Networks 5, 1992; the tempering is our own, see
// benchmarks/README.md.)
//
// A classify.Classifier fits the weights, and keeps them in the database (package calibration).
type Stack struct {
	// Label is the name of the Stack, under which the database has its fit.
	Label string

	Components []Component

	// Bias is b_c in the order of Totals.Classes; missing ones are 0.
	Bias []float64

	// PriorWeight is the factor of a class's log prior in the posterior, ≥ 0. The bias
	// corrects it.
	PriorWeight float64

	reads Attributes // how WithAttributes reads attributes
}

// Name returns the label.
func (m Stack) Name() string { return m.Label }

func (m Stack) check() error {
	for _, c := range m.Components {
		if err := Check(c.Model); err != nil {
			return err
		}
		if _, is := c.Model.(Stack); is || !(c.Gamma >= 0 && c.Weight >= 0) {
			return fmt.Errorf("component %.80q: want no Stack, and γ and a weight of 0 or more", c.Model.Name())
		}
	}
	return nil
}

// Levels reports whether a component of some weight reads Cell.U.
func (m Stack) Levels() bool {
	return slices.ContainsFunc(m.Components, func(c Component) bool { return c.Weight != 0 && c.Levels() })
}

// Levels reports whether the component's Scorer reads Cell.U.
func (c Component) Levels() bool {
	_, is := c.Model.(DCM)
	return is
}

// DefaultPriorWeight is the PriorWeight of a calibrated model: half the log prior, since
// tempering shrinks the scores by even more; the biases correct the rest.
const DefaultPriorWeight = 0.5

// Single returns the Stack of one model, with the tempering for its kind while nothing is
// fitted.
func Single(m EventModel) Stack {
	if m, ok := m.(Attributes); ok {
		return Stack{Label: m.Name(), PriorWeight: DefaultPriorWeight, reads: m}
	}
	c := Component{Model: m, Gamma: .75, Weight: .4}
	switch m.(type) {
	case Ratio:
		c.Gamma, c.Weight = 0, 2
	case Normalised:
		c.Gamma, c.Weight = 0, 4
	case Complement, DCM:
		c.Weight = 1
	}
	return Stack{Label: m.Name(), Components: []Component{c}, PriorWeight: DefaultPriorWeight}
}

// Ratios returns the Ratios of all fields that the default Stack and tags have, with their unfitted
// weights.
func Ratios() []Component {
	return []Component{
		{Model: Ratio{Alpha: .01, Bound: 1}, Weight: .4},
		{Model: Ratio{Alpha: .01, Bound: 2}, Weight: .3},
		{Model: Ratio{Alpha: .1, Bound: 1}, Weight: .1},
		{Model: Ratio{Alpha: .1, Bound: 2}, Weight: .4},
		{Model: Ratio{Documents: true, Alpha: .1, Bound: 2}, Weight: .15},
		{Model: Ratio{Documents: true, Alpha: .1, Bound: 3}, Weight: .1},
	}
}

// FieldRatios returns two Ratios, of document frequencies or not, for each of some groups of fields.
// They have a weight only after fitting, and if documents have such fields.
func FieldRatios(documents bool, from, to Fields) (list []Component) {
	for f := from; f <= to; f++ {
		list = append(list,
			Component{Model: Ratio{Documents: documents, Alpha: .01, Bound: 1, Fields: f}},
			Component{Model: Ratio{Documents: documents, Alpha: .1, Bound: 2, Fields: f}})
	}
	return list
}

// fewDocuments is the number of documents of each class, for two classes of equal size, at
// which an unfitted Stack has half its weights: a few documents are little evidence. It
// lowered the log loss of documents 2 to 8 by a third on mail.
const fewDocuments = 5

// Shrunk returns the unfitted Stack with its weights for t,
//
//	w m / (m + k),  m = 2 / Σ_c (n_c/D) (1/n_c + 1/(D - n_c))
//
// with n_c of D documents in class c, and k = fewDocuments. The sum is proportional to the mean
// variance of the classes' log-odds against all others: of two classes the smaller one sets it.
func (m Stack) Shrunk(t Totals) Stack {
	variance, all := 0.0, float64(t.Documents)
	for _, class := range t.Classes {
		if n := float64(class.Docs); 0 < n && n < all {
			variance += n / all * (1/n + 1/(all-n))
		}
	}
	m.Components = slices.Clone(m.Components)
	for i := range m.Components {
		m.Components[i].Weight *= 2 / (2 + fewDocuments*variance)
	}
	return m
}

// Weights returns the weights of the components.
func (m Stack) Weights() []float64 {
	weights := make([]float64, len(m.Components))
	for i, c := range m.Components {
		weights[i] = c.Weight
	}
	return weights
}

// ComponentNames returns the names of the components, with their tempering.
func (m Stack) ComponentNames() []string {
	names := make([]string, len(m.Components))
	for i, c := range m.Components {
		names[i] = c.Model.Name()
		if c.Gamma != 0 {
			names[i] = fmt.Sprintf("%s /n^%g", names[i], c.Gamma)
		}
	}
	return names
}

// IsAttribute reports whether the component reads attributes rather than words.
func (c Component) IsAttribute() bool {
	_, is := c.Model.(Attributes)
	l, _ := c.Model.(Layer)
	return is || l.Attributes
}

// ReadsAttribute reports whether the component reads the attribute of that name.
func (c Component) ReadsAttribute(name string) bool {
	m, _ := c.Model.(Attributes)
	return c.IsAttribute() && (m.only == "" || m.only == name)
}

// Reads returns which of the attributes of t the stack reads.
func (m Stack) Reads(t Totals) []bool {
	reads := make([]bool, len(t.Attributes))
	for i, a := range t.Attributes {
		reads[i] = slices.ContainsFunc(m.Components, func(c Component) bool { return c.Weight > 0 && c.ReadsAttribute(a.Name) })
	}
	return reads
}
