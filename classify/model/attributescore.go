package model

import (
	"cmp"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// attributeScorer computes the log-probability of a value of one attribute in each class.
// It is immutable.
type attributeScorer struct {
	totals  *count.AttributeTotals
	added   float64   // added to the count of a category or of yes and no
	n, yes  uint64    // documents of all classes that have the attribute, and yes
	all     []float64 // by class: the log of the denominator of a count
	pooled  float64   // the same for all classes together
	real    *realScorer
	uniform []uniformDensity
}

// scorer prepares the attribute.
func (m Attributes) scorer(a *count.AttributeTotals) *attributeScorer {
	s := &attributeScorer{totals: a}
	switch a.Kind {
	case count.Category, count.YesNo:
		values := float64(a.Values)
		if a.Kind == count.YesNo {
			values = 2
		}
		s.added = cmp.Or(m.Alpha, DefaultAttributeAlpha)
		s.all = make([]float64, len(a.Classes))
		all := a.Pooled()
		s.n, s.yes = all.N, all.Yes
		for c := range a.Classes {
			s.all[c] = math.Log(float64(a.Classes[c].N) + s.added*values)
		}
		s.pooled = math.Log(float64(s.n) + s.added*values)
	case count.Real:
		s.real = newRealScorer(a)
	case count.Uniform:
		s.uniform = uniformDensities(a)
	}
	return s
}

// logProb returns log p(x | class c), for reals and uniforms the log density. A class
// without documents that have the attribute has the value of all classes together.
func (s *attributeScorer) logProb(row *AttributeRow, c int) float64 {
	switch s.totals.Kind {
	case count.Category, count.YesNo:
		if s.totals.Classes[c].N > 0 {
			return math.Log(float64(s.count(row, c))+s.added) - s.all[c]
		}
		return math.Log(float64(s.countAll(row))+s.added) - s.pooled
	case count.Real:
		return s.real.densities[c].logProb(row.Attribute.Number)
	}
	return s.uniform[c].logProb(row.Attribute.Number)
}

// addMixed adds log((1-λ) p(x|c) + λ p(x)) to the scores.
func (s *attributeScorer) addMixed(row *AttributeRow, lambda float64, scores []float64) {
	own := make([]float64, len(scores))
	top, sum, all := math.Inf(-1), 0.0, 0.0
	for c := range own {
		if s.totals.Classes[c].N > 0 {
			own[c] = s.logProb(row, c)
			top = max(top, own[c])
		}
	}
	if math.IsInf(top, 0) {
		return // impossible in all classes, or unknown
	}
	for c := range own {
		if n := float64(s.totals.Classes[c].N); n > 0 {
			own[c] = math.Exp(own[c] - top)
			sum += n * own[c]
			all += n
		}
	}
	background := sum / all
	for c := range scores {
		p := background
		if s.totals.Classes[c].N > 0 {
			p = (1-lambda)*own[c] + lambda*background
		}
		scores[c] += math.Log(p / background)
	}
}

// without returns the scorer for the totals left without one document of a class.
func (s *attributeScorer) without(m Attributes, left *count.AttributeTotals, class int) *attributeScorer {
	if left.Kind != count.Real {
		return m.scorer(left)
	}
	return &attributeScorer{totals: left, real: s.real.without(left, s.totals, class)}
}

// count returns the number of documents of class c that have the value of the row.
func (s *attributeScorer) count(row *AttributeRow, c int) uint64 {
	cell := &s.totals.Classes[c]
	switch {
	case s.totals.Kind == count.Category:
		return row.Counts[c]
	case row.Attribute.Number == 0:
		return cell.N - cell.Yes
	}
	return cell.Yes
}

// countAll returns the count of all classes together.
func (s *attributeScorer) countAll(row *AttributeRow) uint64 {
	switch {
	case s.totals.Kind == count.Category:
		return row.All
	case row.Attribute.Number == 0:
		return s.n - s.yes
	}
	return s.yes
}

// uniformLeast is the lower bound of a class's greatest value, as a share of the greatest
// value of all classes: the density of a class with only zeros would be infinite at 0.
const uniformLeast = 0x1p-10

// uniformDensity is the predictive density of a uniform.
type uniformDensity struct {
	n        float64 // values
	greatest float64
}

func (d *uniformDensity) logProb(x float64) float64 {
	if d.greatest == 0 {
		return 0 // no values are known
	}
	most := max(d.greatest, x)
	return -math.Log1p(1/d.n) - math.Log(most) - d.n*math.Log(most/d.greatest)
}

// uniformDensities returns the densities of a uniform attribute by class. The prior is
// Pareto(0, 0); a class without documents that have the attribute has the density of a
// class whose only value is the greatest of all.
func uniformDensities(a *count.AttributeTotals) []uniformDensity {
	densities := make([]uniformDensity, len(a.Classes))
	greatest := a.Pooled().Greatest
	for c := range a.Classes {
		cell := &a.Classes[c]
		d := uniformDensity{n: float64(cell.N), greatest: max(cell.Greatest, greatest*uniformLeast)}
		if cell.N == 0 {
			d.n, d.greatest = 1, greatest
		}
		densities[c] = d
	}
	return densities
}

// Prepare implements EventModel. An unknown attribute scores 0.
func (m Attributes) Prepare(t Totals) Scorer {
	s := &attributesScorer{m: m, at: make([]*attributeScorer, len(t.Attributes))}
	for i, a := range t.Attributes {
		if m.only == "" || m.only == a.Name {
			s.at[i] = m.scorer(a)
		}
	}
	return s
}

// attributesScorer scores by several attributes.
type attributesScorer struct {
	m  Attributes
	at []*attributeScorer // by index in Totals.Attributes; nil for one that is not read
}

// Score implements Scorer.
func (s *attributesScorer) Score(e *Evidence, scores []float64) {
	clear(scores)
	for i := range e.Attributes {
		s.add(&e.Attributes[i], scores)
	}
}

// add adds the contribution of one attribute.
func (s *attributesScorer) add(row *AttributeRow, scores []float64) {
	one := s.at[row.At]
	switch {
	case one == nil:
	case s.m.Background == 0:
		for c := range scores {
			scores[c] += one.logProb(row, c)
		}
	default:
		one.addMixed(row, s.m.Background, scores)
	}
}

// Explain implements Scorer.
func (s *attributesScorer) Explain(e *Evidence, weight float64, x *Contributions) {
	one := make([]float64, len(x.Start))
	for i := range e.Attributes {
		clear(one)
		s.add(&e.Attributes[i], one)
		addTimes(x.Attributes[i], one, weight)
	}
}

// Without implements incremental.
func (s *attributesScorer) Without(left Totals, class int) Scorer {
	w := &attributesScorer{m: s.m, at: slices.Clone(s.at)}
	for i, one := range s.at {
		if one != nil && one.totals != left.Attributes[i] {
			w.at[i] = one.without(s.m, left.Attributes[i], class)
		}
	}
	return w
}
