package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

const (
	// realPrior is the weight, in documents, of the Normal-gamma prior of a real attribute,
	// for the mean and the variance.
	realPrior = 1

	// realFloor is the share of the pooled variance of all classes that is added to the
	// variance of a Gaussian, so that a class of equal values has a density; scikit-learn's
	// var_smoothing.
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
	known  bool    // false for no density
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

// realScorer holds the densities of a real attribute by class.
//
// The Normal-gamma prior has the pooled mean of all classes as μ_0 and their pooled
// variance as b_0/a_0, with κ_0 = realPrior, a_0 = realPrior/2 (Murphy, Conjugate Bayesian
// analysis of the Gaussian distribution, 2007, section 3). If all documents have the same
// value, no class has a density, and the attribute contributes nothing.
type realScorer struct {
	how       Density
	shared    bool
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

func newRealScorer(a *count.AttributeTotals, how Density, shared bool) *realScorer {
	s := &realScorer{how: how, shared: shared, cells: make([]realCell, len(a.Classes)), all: a.Pooled()}
	for c := range a.Classes {
		s.cells[c] = newRealCell(&a.Classes[c])
	}
	s.prepare()
	return s
}

// without returns the scorer for the totals left without one document of a class.
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

// prepare computes the densities.
func (s *realScorer) prepare() {
	s.densities = make([]realDensity, len(s.cells))
	if s.all.N == 0 {
		return
	}
	mean, variance := s.all.Mean(), s.all.Deviations()/float64(s.all.N)
	var one sharedVariance
	if s.shared {
		one = s.share(mean, variance)
	}
	for c := range s.cells {
		cell, d := &s.cells[c], &s.densities[c]
		switch {
		case s.how == StudentT && s.shared:
			*d = one.predictive(cell, mean)
		case s.how == StudentT:
			*d = cell.predictive(mean, variance)
		case cell.n == 0:
			*d = realDensity{mu: mean, s2: variance, nu: math.Inf(1)}
		case s.shared:
			*d = realDensity{mu: cell.mean, s2: one.within + realFloor*variance, nu: math.Inf(1)}
		default:
			n := float64(cell.n)
			if s.how == SampleGaussian && cell.n > 1 {
				n--
			}
			*d = realDensity{mu: cell.mean, s2: cell.deviations/n + realFloor*variance, nu: math.Inf(1)}
		}
		if math.IsInf(d.nu, 1) {
			d.top = -math.Log(2*math.Pi*d.s2) / 2
		}
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

// sharedVariance is the common part of all classes if their variances are equal.
//
// For StudentT the posterior of the precision λ has, with the prior's κ, a and b, over
// the classes c with n_c values of mean m_c and squared deviations S_c,
//
//	A = a + Σ_c n_c/2,  B = b + Σ_c (S_c/2 + κ n_c (m_c - mean)²/(2(κ + n_c)))
//
// and each class its own mean given λ, as for a class alone. For Gaussian and
// SampleGaussian the variance between the classes' means is not included.
type sharedVariance struct {
	a, b   float64
	gammas float64 // lnΓ(A+½) - lnΓ(A)
	within float64 // the variance around the classes' means
}

// share returns the shared variance, given the pooled mean and variance of all classes.
func (s *realScorer) share(mean, variance float64) sharedVariance {
	n, classes, within, spread := 0.0, 0.0, 0.0, 0.0
	for c := range s.cells {
		cell := &s.cells[c]
		if cell.n == 0 {
			continue
		}
		own := float64(cell.n)
		apart := cell.mean - mean
		n += own
		classes++
		within += cell.deviations
		spread += apart * apart * (realPrior / (realPrior + own)) * own
	}
	one := sharedVariance{a: (realPrior + n) / 2, b: (realPrior*variance + within + spread) / 2}
	if s.how == SampleGaussian && n > classes {
		n -= classes
	}
	one.within = within / n
	above, _ := math.Lgamma(one.a + .5)
	below, _ := math.Lgamma(one.a)
	one.gammas = above - below
	return one
}

// predictive returns the Student's t of a class: its own mean and weight, with the shared
// precision.
func (one *sharedVariance) predictive(cell *realCell, mean float64) realDensity {
	mu, kappa := mean, realPrior+float64(cell.n)
	if cell.n > 0 {
		mu = cell.mean + (mean-cell.mean)*(realPrior/kappa)
	}
	d := realDensity{mu: mu, s2: one.b / one.a * (kappa + 1) / kappa, nu: 2 * one.a}
	d.top = one.gammas - math.Log(d.nu*math.Pi*d.s2)/2
	return d
}

// Density selects the density estimated for a real attribute from a class's n, mean and
// squared deviations.
type Density uint8

const (
	// StudentT is the predictive density under a Normal-gamma prior with the weight of
	// realPrior documents and the pooled mean and variance of all classes.
	StudentT Density = iota

	// Gaussian has the mean and the variance of the class (maximum likelihood).
	Gaussian

	// SampleGaussian has the variance with n - 1 in place of n.
	SampleGaussian
)

// densityNames are the names of the densities in model names.
var densityNames = [...]string{StudentT: "student", Gaussian: "gaussian", SampleGaussian: "sample"}

// String returns "student", "gaussian" or "sample".
func (d Density) String() string {
	if int(d) < len(densityNames) {
		return densityNames[d]
	}
	return fmt.Sprintf("density(%d)", uint8(d))
}
