package model

import (
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify/conjugate"
	"github.com/polya-classifier/polya/store/count"
)

const (
	// realPrior is how many documents the Normal-gamma prior of a real attribute is
	// worth, for the mean as for the variance.
	realPrior = 1

	// realFloor is the share of the variance of all classes together that is added
	// to the variance of a Gaussian, so that a class in which all values are equal
	// has a density; scikit-learn's var_smoothing.
	realFloor = 1e-9
)

// realDensity is a Gaussian, or Student's t with nu degrees of freedom: with the
// location mu and the squared scale s2 its log density is
//
//	Gaussian   -log(2π s2)/2 - (x-mu)²/(2 s2)
//	Student    lnΓ((nu+1)/2) - lnΓ(nu/2) - log(nu π s2)/2 - (nu+1)/2 log(1 + (x-mu)²/(nu s2))
type realDensity struct {
	mu, s2 float64
	nu     float64 // +Inf is a Gaussian
	top    float64 // the log density at mu
	known  bool    // else it is nothing
}

func (d *realDensity) logProb(x float64) float64 {
	if !d.known {
		return 0
	}
	z := (x - d.mu) * ((x - d.mu) / d.s2)
	if math.IsInf(d.nu, 1) {
		return d.top - z/2
	}
	return d.top - (d.nu+1)/2*math.Log1p(z/d.nu)
}

// realScorer has the densities of a real attribute by class.
//
// The Normal-gamma prior has as mean μ_0 and as variance b_0/a_0 those of all classes
// together, with κ_0 = realPrior, a_0 = realPrior/2 (Murphy, Conjugate Bayesian
// analysis of the Gaussian distribution, 2007, section 3). If all documents of the
// database have one value, no class has a density, and the attribute says nothing.
type realScorer struct {
	how       Density
	shared    bool
	cells     []realCell // by class
	all       count.AttributeCell
	densities []realDensity // by class
}

// realCell is what was counted of a real attribute in a class.
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

func newRealScorer(a *count.AttributeTotals, how Density, shared bool) *realScorer {
	s := &realScorer{how: how, shared: shared, cells: make([]realCell, len(a.Classes)), all: pooledReal(a)}
	for c := range a.Classes {
		s.cells[c] = newRealCell(&a.Classes[c])
	}
	s.prepare()
	return s
}

// without is the scorer for totals from which a document of one class was taken.
func (s *realScorer) without(left *count.AttributeTotals, had *count.AttributeTotals, class int) *realScorer {
	w := &realScorer{how: s.how, shared: s.shared, cells: slices.Clone(s.cells), all: s.all}
	now, then := &left.Classes[class], &had.Classes[class]
	w.all.N -= then.N - now.N
	w.all.Sum = w.all.Sum.Sub(then.Sum).Add(now.Sum)
	w.all.Squares = w.all.Squares.Sub(then.Squares).Add(now.Squares)
	w.cells[class] = newRealCell(now)
	w.prepare()
	return w
}

// pooledReal is what was counted of a real attribute in all classes together.
func pooledReal(a *count.AttributeTotals) count.AttributeCell {
	var all count.AttributeCell
	for c := range a.Classes {
		if cell := &a.Classes[c]; cell.N > 0 {
			all.N += cell.N
			all.Sum, all.Squares = all.Sum.Add(cell.Sum), all.Squares.Add(cell.Squares)
		}
	}
	return all
}

// prepare computes the densities.
func (s *realScorer) prepare() {
	s.densities = make([]realDensity, len(s.cells))
	if s.all.N == 0 {
		return
	}
	mean, variance := s.all.Mean(), s.all.Deviations()/float64(s.all.N)
	if s.shared {
		s.prepareShared(mean, variance)
		return
	}
	for c := range s.cells {
		cell, d := &s.cells[c], &s.densities[c]
		n := float64(cell.n)
		switch {
		case s.how == StudentT:
			belief := conjugate.NormalGamma{
				Mu: mean, Kappa: realPrior, A: realPrior / 2., B: realPrior / 2. * variance,
				N: cell.n, Mean: cell.mean, SS: cell.deviations,
			}
			t := belief.Predictive()
			*d = realDensity{mu: t.Mu, s2: t.Sigma * t.Sigma, nu: t.Nu}
			d.top = cell.gammas - math.Log(t.Nu*math.Pi*d.s2)/2
		case cell.n == 0:
			*d = realDensity{mu: mean, s2: variance, nu: math.Inf(1)}
		case s.how == SampleGaussian && cell.n > 1:
			*d = realDensity{mu: cell.mean, s2: cell.deviations/(n-1) + realFloor*variance, nu: math.Inf(1)}
		default:
			*d = realDensity{mu: cell.mean, s2: cell.deviations/n + realFloor*variance, nu: math.Inf(1)}
		}
		if math.IsInf(d.nu, 1) {
			d.top = -math.Log(2*math.Pi*d.s2) / 2
		}
		d.known = d.s2 > 0
	}
}
