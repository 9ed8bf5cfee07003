package model

import (
	"fmt"
	"math"
	"slices"
	"sync"
)

// Component is an event model as part of a Stack.
type Component struct {
	// Model is the event model. It is no Stack itself.
	Model EventModel

	// Gamma tempers its scores by the length of the document: they are divided
	// by n^Gamma, n the number of distinct known terms. 0 leaves them as they
	// are, as a mean should be left; naive Bayes' sums are too sure of long
	// documents, for their terms are not independent. ≥ 0.
	Gamma float64

	// Weight is what its tempered scores are multiplied by, ≥ 0. A component of
	// weight 0 is not computed.
	Weight float64
}

// Stack weighs the scores of several event models into one. The score of class c
// is
//
//	b_c + Σ_m w_m S_mc / n^γ_m
//
// with S_mc the score of component m, n the number of distinct known terms of
// the document, and b_c a bias, which puts right what the components together
// have for or against the class. A Stack of one component is that model,
// calibrated. (Wolpert, Stacked Generalization, Neural Networks 5, 1992; the
// tempering is research of our own, see benchmarks/accuracy.md.)
//
// A Classifier uses the weights as they are given until it has fitted others,
// which it keeps in the database; see Calibration. With Options.Raw it uses them
// as they are always. Open and ClassifyEach refuse a Stack with anything out of
// range.
type Stack struct {
	// Label is the name of the Stack, not empty. What a database has fitted for
	// a Stack is kept by it, so that it is to be no other model's name.
	Label string

	// Components are the parts, one or more.
	Components []Component

	// Bias is b_c in the order of Totals.Classes; missing ones are 0.
	Bias []float64

	// PriorWeight is what the logarithm of a class's prior is multiplied by
	// where the Stack gives the posterior, ≥ 0. The bias corrects it.
	PriorWeight float64

	// Attributes says that a Classifier is to add a component for each attribute of
	// its database. Without, and without a component of model Attributes, the Stack
	// reads words alone.
	Attributes bool

	reads *Attributes // how they are read, nil for as Options say
}

// Name returns the label.
func (m Stack) Name() string { return m.Label }

// Levels says whether a component of some weight reads Cell.U.
func (m Stack) Levels() bool {
	return slices.ContainsFunc(m.Components, func(c Component) bool { return c.Weight != 0 && c.Model.Levels() })
}

// DefaultPriorWeight is the PriorWeight of a calibrated model: half the log
// prior, for the scores beside it have lost more than that to tempering; the
// biases do the rest.
const DefaultPriorWeight = 0.5

// Single returns the Stack of one model, tempered as models of its kind want it
// while nothing is fitted.
func Single(m EventModel) Stack {
	if m, ok := m.(Attributes); ok {
		return Stack{Label: m.Name(), PriorWeight: DefaultPriorWeight, Attributes: true, reads: &m}
	}
	c := Component{Model: m, Gamma: .75, Weight: .4}
	switch m := m.(type) {
	case Ratio:
		c.Gamma, c.Weight = 0, 2
	case Normalised:
		c.Gamma, c.Weight = 0, 4
	case Complement:
		c.Weight = 1
		if m.Normalised {
			c.Gamma, c.Weight = .5, 10
		}
	case DCM:
		c.Weight = 1
	}
	return Stack{Label: m.Name(), Components: []Component{c}, PriorWeight: DefaultPriorWeight, Attributes: true}
}

// fewDocuments is the number of documents of each class, those of few documents
// being less of a class, at which a Stack that was not fitted has half its weights:
// what few documents say is little to rely on. In streams that begin with nothing
// (25 orders), the log loss of documents 2 to 8 fell from .83 to .55 on mail, from
// .80 to .50 on short messages, and from .68 to .53 on newswire.
const fewDocuments = 5

// Shrunk returns the Stack with its weights as they are to be while it is not
// fitted,
//
//	w D / (D + k e^H)
//
// with D documents, k = fewDocuments, and H the entropy of the classes: e^H is
// the number of classes if all are equally large.
func (m Stack) Shrunk(t Totals) Stack {
	docs, entropy := float64(t.Documents), 0.0
	for _, class := range t.Classes {
		if p := float64(class.Docs) / docs; p > 0 {
			entropy -= p * math.Log(p)
		}
	}
	m.Components = slices.Clone(m.Components)
	for i := range m.Components {
		m.Components[i].Weight *= docs / (docs + fewDocuments*math.Exp(entropy))
	}
	return m
}

// Weights are those of the components.
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

// Prepare prepares the components that have some weight. It panics if a weight is
// below 0 or no number.
func (m Stack) Prepare(t Totals) Scorer {
	s := &stackScorer{bias: make([]float64, len(t.Classes))}
	copy(s.bias, m.Bias)
	for _, c := range m.Components {
		if !(c.Weight >= 0) || math.IsInf(c.Weight, 1) {
			panic(fmt.Sprintf("classify: weight %v of %s: want 0 or more", c.Weight, c.Model.Name()))
		}
	}
	s.parts = prepareParts(m.Components, t, false)
	return s
}

// part is one scorer that gives the scores of one or more components.
type part struct {
	model      EventModel
	scorer     Scorer
	ratios     *ratios // instead, for all bounds over the same ratios
	components []int   // in the order of the bounds
	gamma      []float64
	weight     []float64
	attributes bool // the scorer reads attributes and no words
}

// prepareParts prepares those components that have some weight, or all of them.
func prepareParts(components []Component, t Totals, all bool) []part {
	var parts []part
	seen := map[Ratio]int{} // by model with bound 0: index of the part
	for i, c := range components {
		if c.Weight == 0 && !all {
			continue
		}
		r, ok := c.Model.(Ratio)
		if !ok {
			parts = append(parts, part{
				model: c.Model, scorer: c.Model.Prepare(t), components: []int{i},
				gamma: []float64{c.Gamma}, weight: []float64{c.Weight}, attributes: c.IsAttribute(),
			})
			continue
		}
		r = r.filled()
		key := Ratio{Of: r.Of, Alpha: r.Alpha}
		at, ok := seen[key]
		if !ok || parts[at].ratios.bounds[len(parts[at].ratios.bounds)-1] >= r.Bound {
			seen[key] = len(parts)
			parts = append(parts, part{model: r, ratios: newRatios(t, r.Of, r.Alpha, r.Bound)})
			at = len(parts) - 1
		} else {
			parts[at].ratios.bounds = append(parts[at].ratios.bounds, r.Bound)
		}
		p := &parts[at]
		p.components, p.gamma, p.weight = append(p.components, i), append(p.gamma, c.Gamma), append(p.weight, c.Weight)
	}
	return parts
}

// scores appends the scores of the part's components, class by class, to dst.
func (p *part) scores(e *Evidence, classes int, m *partMemory) []float64 {
	size := classes * len(p.components)
	m.room(size)
	if p.silent(e) {
		clear(m.sums)
		return m.sums
	}
	if p.ratios != nil {
		p.ratios.means(e, m.sums, m.n, &m.contributions)
	} else if of, ok := p.scorer.(contributor); ok {
		sumContributions(of, e, m.sums, &m.contributions)
	} else {
		p.scorer.Score(e, m.sums)
	}
	return m.sums
}

// silent says whether the document has nothing that the part reads. A text of no
// known word says nothing, not even by what it lacks.
func (p *part) silent(e *Evidence) bool { return !p.attributes && len(e.Rows) == 0 }

// without returns the part prepared for totals from which a document of one
// class was taken.
func (p *part) without(left Totals, class int) part {
	q := *p
	switch {
	case p.ratios != nil:
		q.ratios = newRatios(left, p.ratios.of, p.ratios.alpha, p.ratios.bounds...)
	default:
		if s, ok := p.scorer.(Incremental); ok {
			q.scorer = s.Without(left, class)
		} else {
			q.scorer = p.model.Prepare(left)
		}
	}
	return q
}

// partMemory is what computing the scores of a part needs.
type partMemory struct {
	sums, n       []float64
	contributions contributions
}

// room makes room for that many sums.
func (m *partMemory) room(size int) {
	m.sums = slices.Grow(m.sums[:0], size)[:size]
	m.n = slices.Grow(m.n[:0], size)[:size]
}

var partMemories = sync.Pool{New: func() any { return new(partMemory) }}

type stackScorer struct {
	parts []part
	bias  []float64
}

// temper returns n^-γ for a document of n terms, 1 if it has none.
func temper(n int, gamma float64) float64 {
	n = max(n, 1)
	switch gamma {
	case 0:
		return 1
	case 0.5:
		return 1 / math.Sqrt(float64(n))
	case 1:
		return 1 / float64(n)
	}
	return math.Pow(float64(n), -gamma)
}

// Score implements Scorer.
func (s *stackScorer) Score(e *Evidence, scores []float64) {
	copy(scores, s.bias)
	m := partMemories.Get().(*partMemory)
	defer partMemories.Put(m)
	for i := range s.parts {
		p := &s.parts[i]
		p.weigh(scores, p.scores(e, len(scores), m), len(e.Rows))
	}
}

// weigh adds values, the scores of the part's components in a document of n terms.
func (p *part) weigh(scores, values []float64, n int) {
	for k := range p.components {
		w := p.weight[k] * temper(n, p.gamma[k])
		for c := range scores {
			scores[c] += w * values[k*len(scores)+c]
		}
	}
}

// Explain implements Scorer.
func (s *stackScorer) Explain(e *Evidence, weight float64, x *Contributions) {
	addTimes(x.Start, s.bias, weight)
	for _, p := range s.parts {
		for k := range p.components {
			w := weight * (p.weight[k] * temper(len(e.Rows), p.gamma[k]))
			if p.ratios == nil {
				p.scorer.Explain(e, w, x)
			} else {
				p.ratios.bound(k).Explain(e, w, x)
			}
		}
	}
}

// Features computes the tempered scores of components, those that a Stack weighs.
type Features struct {
	parts, left []part
}

// NewFeatures prepares all of the components, whatever their weights.
func NewFeatures(components []Component, t Totals) *Features {
	parts := prepareParts(components, t, true)
	return &Features{parts, make([]part, len(parts))}
}

// LeaveOut sets dst[m × classes + c] to the tempered score of component m in class c, with
// totals from which a document of that class was taken; see Evidence.LeaveOut.
func (f *Features) LeaveOut(left Totals, class int, e *Evidence, dst []float64) {
	for i := range f.parts {
		f.left[i] = f.parts[i].without(left, class)
	}
	features(f.left, e, len(left.Classes), dst)
}

// features sets dst[m × classes + c] to the tempered score of component m in class c.
func features(parts []part, e *Evidence, classes int, dst []float64) {
	var m partMemory
	for i := range parts {
		p := &parts[i]
		values := p.scores(e, classes, &m)
		for k, component := range p.components {
			t := temper(len(e.Rows), p.gamma[k])
			for c := range classes {
				dst[component*classes+c] = t * values[k*classes+c]
			}
		}
	}
}
