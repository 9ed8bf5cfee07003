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
	totals *count.AttributeTotals

	// logProb returns log p(x | class c), for reals and uniforms the log density. A class
	// without documents that have the attribute has the value of all classes together.
	logProb func(row *AttributeRow, c int) float64
}

// scorer prepares the attribute.
func (m Attributes) scorer(a *count.AttributeTotals) *attributeScorer {
	switch a.Kind {
	case count.Real:
		return &attributeScorer{totals: a, logProb: real(a)}
	case count.Uniform:
		return &attributeScorer{totals: a, logProb: uniform(a)}
	}
	return &attributeScorer{totals: a, logProb: m.counted(a)}
}

// counted returns the log-probability of a category, or of yes and no.
func (m Attributes) counted(a *count.AttributeTotals) func(row *AttributeRow, c int) float64 {
	values := 2.
	if a.Kind == count.Category {
		values = float64(a.Values)
	}
	added, all, norms := cmp.Or(m.Alpha, DefaultAttributeAlpha), a.Pooled(), make([]float64, len(a.Classes))
	for c := range norms {
		norms[c] = math.Log(float64(a.Classes[c].N) + added*values)
	}
	pooled := math.Log(float64(all.N) + added*values)
	return func(row *AttributeRow, c int) float64 {
		cell, norm := &a.Classes[c], norms[c]
		if cell.N == 0 {
			cell, norm = &all, pooled
		}
		n := cell.Yes
		switch {
		case a.Kind == count.Category && cell == &all:
			n = row.All
		case a.Kind == count.Category:
			n = row.Counts[c]
		case row.Attribute.Number == 0:
			n = cell.N - cell.Yes
		}
		return math.Log(float64(n)+added) - norm
	}
}

// uniformLeast is the lower bound of a class's greatest value, as a share of the greatest
// value of all classes: the density of a class with only zeros would be infinite at 0.
const uniformLeast = 0x1p-10

// uniform returns the predictive log density of a uniform. The prior is Pareto(0, 0); a class
// without documents that have the attribute has the density of a class whose only value is the
// greatest of all.
func uniform(a *count.AttributeTotals) func(row *AttributeRow, c int) float64 {
	all := a.Pooled().Greatest
	return func(row *AttributeRow, c int) float64 {
		n, greatest := 1., all
		if cell := &a.Classes[c]; cell.N > 0 {
			n, greatest = float64(cell.N), max(cell.Greatest, all*uniformLeast)
		}
		if greatest == 0 {
			return 0 // no values are known
		}
		most := max(greatest, row.Attribute.Number)
		return -math.Log1p(1/n) - math.Log(most) - n*math.Log(most/greatest)
	}
}

// realPrior is the weight, in documents, of the Normal-gamma prior of a real attribute,
// for the mean and the variance.
const realPrior = 1

// real returns the log density of Student's t with nu degrees of freedom, the location mu and the
// squared scale s2,
//
//	lnΓ((nu+1)/2) - lnΓ(nu/2) - log(nu π s2)/2 - (nu+1)/2 log(1 + (x-mu)²/(nu s2))
//
// The Normal-gamma prior has the pooled mean of all classes as μ_0 and their pooled
// variance as b_0/a_0, with κ_0 = realPrior, a_0 = realPrior/2 (Murphy, Conjugate Bayesian
// analysis of the Gaussian distribution, 2007, section 3). If all documents have the same
// value, no class has a density, and the attribute contributes nothing.
func real(a *count.AttributeTotals) func(row *AttributeRow, c int) float64 {
	all := a.Pooled()
	mean, variance := all.Mean(), all.Deviations()/float64(all.N)
	densities := make([]studentT, len(a.Classes))
	for c := range a.Classes {
		densities[c] = predictive(&a.Classes[c], mean, variance)
	}
	return func(row *AttributeRow, c int) float64 {
		d := &densities[c]
		if !(d.s2 > 0) {
			return 0
		}
		x := row.Attribute.Number
		z := min((x-d.mu)*((x-d.mu)/d.s2), math.MaxFloat64)
		return d.top - (d.nu+1)/2*math.Log1p(z/d.nu)
	}
}

// studentT is a density, with its logarithm at mu.
type studentT struct{ mu, s2, nu, top float64 }

// predictive returns the density of a single class.
func predictive(cell *count.AttributeCell, mean, variance float64) studentT {
	n := float64(cell.N)
	kappa, a, b, mu := realPrior+n, realPrior/2.+n/2, realPrior/2.*variance, mean
	if n > 0 {
		own := cell.Mean()
		apart := mean - own
		mu = own + apart*(realPrior/kappa)
		b = b + cell.Deviations()/2 + apart*apart*(realPrior/kappa)*n/2
	}
	sigma := math.Sqrt(b/a/kappa) * math.Sqrt(kappa+1)
	d := studentT{mu: mu, s2: sigma * sigma, nu: 2 * a}
	half, _ := math.Lgamma((d.nu + 1) / 2)
	less, _ := math.Lgamma(d.nu / 2)
	d.top = half - less - math.Log(d.nu*math.Pi*d.s2)/2
	return d
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
func (s *attributesScorer) Without(left Totals, _ int) Scorer {
	w := &attributesScorer{m: s.m, at: slices.Clone(s.at)}
	for i, one := range s.at {
		if a := left.Attributes[i]; one != nil && one.totals != a {
			w.at[i] = s.m.scorer(a)
		}
	}
	return w
}
