package model

import (
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// realPrior is the weight, in documents, of the Normal-gamma prior of a real attribute,
// for the mean and the variance.
const realPrior = 1

// realDensity is Student's t with nu degrees of freedom: with the location mu and the squared scale s2
// its log density is
//
//	lnΓ((nu+1)/2) - lnΓ(nu/2) - log(nu π s2)/2 - (nu+1)/2 log(1 + (x-mu)²/(nu s2))
type realDensity struct {
	mu, s2, nu float64
	top        float64 // the log density at mu
	known      bool    // false for no density
}

func (d *realDensity) logProb(x float64) float64 {
	if !d.known {
		return 0
	}
	z := (x - d.mu) * ((x - d.mu) / d.s2)
	return d.top - (d.nu+1)/2*math.Log1p(z/d.nu)
}

// realScorer holds the densities of a real attribute by class.
//
// The Normal-gamma prior has the pooled mean of all classes as μ_0 and their pooled
// variance as b_0/a_0, with κ_0 = realPrior, a_0 = realPrior/2 (Murphy, Conjugate Bayesian
// analysis of the Gaussian distribution, 2007, section 3). If all documents have the same
// value, no class has a density, and the attribute contributes nothing.
type realScorer struct {
	cells     []realCell // by class
	all       count.AttributeCell
	densities []realDensity // by class
}

// realCell holds the counts of a real attribute in a class.
type realCell struct {
	n                uint64
	mean, deviations float64
	gammas           float64 // lnΓ((nu+1)/2) - lnΓ(nu/2) of the predictive density
}

func newRealCell(cell *count.AttributeCell) realCell {
	nu := realPrior + float64(cell.N)
	a, _ := math.Lgamma((nu + 1) / 2)
	b, _ := math.Lgamma(nu / 2)
	return realCell{cell.N, cell.Mean(), cell.Deviations(), a - b}
}

func newRealScorer(a *count.AttributeTotals) *realScorer {
	s := &realScorer{cells: make([]realCell, len(a.Classes)), all: a.Pooled()}
	for c := range a.Classes {
		s.cells[c] = newRealCell(&a.Classes[c])
	}
	s.prepare()
	return s
}

// without returns the scorer for the totals left without one document of a class.
func (s *realScorer) without(left *count.AttributeTotals, had *count.AttributeTotals, class int) *realScorer {
	w := &realScorer{cells: slices.Clone(s.cells), all: s.all}
	now, then := &left.Classes[class], &had.Classes[class]
	w.all.N -= then.N - now.N
	w.all.Sum = w.all.Sum.Sub(then.Sum).Add(now.Sum)
	w.all.Squares = w.all.Squares.Sub(then.Squares).Add(now.Squares)
	w.cells[class] = newRealCell(now)
	w.prepare()
	return w
}

// prepare computes the densities.
func (s *realScorer) prepare() {
	s.densities = make([]realDensity, len(s.cells))
	if s.all.N == 0 {
		return
	}
	mean, variance := s.all.Mean(), s.all.Deviations()/float64(s.all.N)
	for c := range s.cells {
		d := &s.densities[c]
		*d = s.cells[c].predictive(mean, variance)
		d.known = d.s2 > 0
	}
}

// predictive returns the Student's t of a single class.
func (cell *realCell) predictive(mean, variance float64) realDensity {
	kappa, a, b, mu := realPrior+float64(cell.n), realPrior/2.+float64(cell.n)/2, realPrior/2.*variance, mean
	if n := float64(cell.n); n > 0 {
		apart := mean - cell.mean
		mu = cell.mean + apart*(realPrior/kappa)
		b = b + cell.deviations/2 + apart*apart*(realPrior/kappa)*n/2
	}
	sigma := math.Sqrt(b/a/kappa) * math.Sqrt(kappa+1)
	d := realDensity{mu: mu, s2: sigma * sigma, nu: 2 * a}
	d.top = cell.gammas - math.Log(d.nu*math.Pi*d.s2)/2
	return d
}
