package model

import (
	"math"
	"reflect"
	"slices"
	"sync"
)

// Prepare prepares the components that have some weight.
func (m Stack) Prepare(t Totals) Scorer {
	s := &stackScorer{parts: prepareParts(m.Components, t, false), bias: make([]float64, len(t.Classes))}
	copy(s.bias, m.Bias)
	return s
}

// part is one scorer for one or more components: components of one model, or several
// Ratios.
type part struct {
	model      EventModel
	scorer     Scorer
	terms      *summed      // the scorer, nil if it does not sum contributions
	layer      *layerScorer // the same, nil if it is none
	ratios     *ratios      // used instead, for all scores from the same ratios
	components []int        // in the order of the scores
	gamma      []float64
	weight     []float64
	attributes bool // the scorer reads attributes rather than words
}

// prepareParts prepares the components that have some weight, or all of them.
func prepareParts(components []Component, t Totals, all bool) []part {
	var parts []part
	seen := map[Ratio]int{} // by model with bound 0, of fields the channel: index of the part
	for i, c := range components {
		if c.Weight == 0 && !all {
			continue
		}
		r, ok := c.Model.(Ratio)
		if !ok {
			if at := slices.IndexFunc(parts, func(p part) bool { return all && p.isOf(c.Model) }); at >= 0 {
				parts[at].temper(i, c)
				continue
			}
			p := part{model: c.Model, components: []int{i}, gamma: []float64{c.Gamma}, weight: []float64{c.Weight}, attributes: c.IsAttribute()}
			p.set(c.Model.Prepare(t))
			parts = append(parts, p)
			continue
		}
		r = r.filled()
		key := Ratio{Documents: r.Documents, Alpha: r.Alpha, Fields: r.channel()}
		at, ok := seen[key]
		if !ok || !parts[at].ratios.ask(r.Bound, r.Fields) {
			at = len(parts)
			seen[key] = at
			parts = append(parts, part{model: r, ratios: newRatios(t, r)})
		}
		parts[at].temper(i, c)
	}
	return parts
}

// temper adds component i.
func (p *part) temper(i int, c Component) {
	p.components, p.gamma, p.weight = append(p.components, i), append(p.gamma, c.Gamma), append(p.weight, c.Weight)
}

// isOf reports whether the part computes the scores of the model, tempered or not.
func (p *part) isOf(m EventModel) bool { return p.ratios == nil && reflect.DeepEqual(p.model, m) }

func (p *part) set(scorer Scorer) {
	p.scorer = scorer
	if p.terms, _ = scorer.(*summed); p.terms != nil {
		p.layer = p.terms.layer()
	}
}

// scores appends the scores of the part's components, class by class, to dst.
func (p *part) scores(e *Evidence, classes int, m *partMemory) []float64 {
	m.grow(0, classes*len(p.components))
	switch {
	case p.silent(e):
		clear(m.scores)
	case p.ratios != nil:
		p.ratios.means(e, m)
	case p.terms != nil:
		p.terms.score(e, m.scores[:classes], &m.contributions)
	default:
		p.scorer.Score(e, m.scores[:classes])
	}
	for k := 1; k < len(p.components) && p.ratios == nil; k++ {
		copy(m.scores[k*classes:], m.scores[:classes])
	}
	return m.scores
}

// silent reports whether the document has nothing that the part reads. A text without a
// known word contributes nothing, not even by absent terms.
func (p *part) silent(e *Evidence) bool {
	return !p.attributes && len(e.Rows) == 0 || p.layer != nil && p.layer.of == nil
}

// without returns the part prepared for the totals without one document of a class.
func (p *part) without(left Totals, class int) part {
	q := *p
	if p.ratios != nil {
		q.ratios = p.ratios.prepared(left)
		return q
	}
	var of any = p.scorer
	if p.terms != nil {
		of = p.terms.contributor
	}
	if s, ok := of.(incremental); ok {
		q.set(s.Without(left, class))
	} else {
		q.set(p.model.Prepare(left))
	}
	return q
}

// partMemory is memory for computing the scores of a part.
type partMemory struct {
	sums, n       []float64 // of ratios
	scores        []float64
	contributions contributions
}

// grow makes space for that many sums and scores.
func (m *partMemory) grow(sums, scores int) {
	m.sums = slices.Grow(m.sums[:0], sums)[:sums]
	m.n = slices.Grow(m.n[:0], sums)[:sums]
	m.scores = slices.Grow(m.scores[:0], scores)[:scores]
}

var partMemories = sync.Pool{New: func() any { return new(partMemory) }}

type stackScorer struct {
	parts []part
	bias  []float64
}

// temper returns n^-γ for a document of n terms, 1 if it has none.
func temper(n int, gamma float64) float64 { return math.Pow(float64(max(n, 1)), -gamma) }

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
	for i := range s.parts {
		p := &s.parts[i]
		if p.silent(e) {
			continue
		}
		for k := range p.components {
			of := p.scorer
			if p.ratios != nil {
				of = p.ratios.only(k)
			}
			of.Explain(e, weight*(p.weight[k]*temper(len(e.Rows), p.gamma[k])), x)
		}
	}
}

// Features computes the tempered scores of components, the inputs of a Stack's weights.
type Features struct{ parts []part }

// NewFeatures prepares all of the components, regardless of their weights.
func NewFeatures(components []Component, t Totals) *Features {
	return &Features{prepareParts(components, t, true)}
}

// Watch makes LeaveOut and Score call each for every ratio beyond the bound of a component
// of model m. If there is no such component, or also one with a smaller bound, each is
// never called.
func (f *Features) Watch(m Ratio, each func(row *Row, class int, ratio float64)) {
	m = m.filled()
	for i := range f.parts {
		if r := f.parts[i].ratios; r != nil && r.documents == m.Documents && r.alpha == m.Alpha && r.channel == m.channel() && r.bounds[0] == m.Bound {
			r.each = each
		}
	}
}

// LeaveOut sets dst[m × classes + c] to the tempered score of component m in class c, with
// the totals left without a document of this class; see Evidence.LeaveOut.
func (f *Features) LeaveOut(left Totals, class int, e *Evidence, dst []float64) {
	others := Features{make([]part, len(f.parts))}
	for i := range f.parts {
		others.parts[i] = f.parts[i].without(left, class)
	}
	others.Score(e, len(left.Classes), dst)
}

// Score sets dst[m × classes + c] to the tempered score of component m in class c for a
// document that is not part of the totals.
func (f *Features) Score(e *Evidence, classes int, dst []float64) {
	m := partMemories.Get().(*partMemory)
	defer partMemories.Put(m)
	for i := range f.parts {
		p := &f.parts[i]
		values := p.scores(e, classes, m)
		for k, component := range p.components {
			t := temper(len(e.Rows), p.gamma[k])
			for c := range classes {
				dst[component*classes+c] = t * values[k*classes+c]
			}
		}
	}
}
