package model

import (
	"math"

	"github.com/polya-classifier/polya/classify/conjugate"
)

// prepareShared computes the densities with one variance for all classes. Mean and
// variance are those of all classes together.
//
// For StudentT the posterior of the precision λ has, with the prior's κ, a and b, over
// the classes c with n_c values of mean m_c and squared deviations S_c,
//
//	A = a + Σ_c n_c/2,  B = b + Σ_c (S_c/2 + κ n_c (m_c - mean)²/(2(κ + n_c)))
//
// and each class its own mean given λ, as in conjugate.NormalGamma. What lies between
// the classes' means has no part in Gaussian and SampleGaussian.
func (s *realScorer) prepareShared(mean, variance float64) {
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
	a, b := (realPrior+n)/2, (realPrior*variance+within+spread)/2
	divisor := n
	if s.how == SampleGaussian && n > classes {
		divisor = n - classes
	}
	above, _ := math.Lgamma(a + .5)
	below, _ := math.Lgamma(a)
	for c := range s.cells {
		cell, d := &s.cells[c], &s.densities[c]
		switch {
		case s.how == StudentT:
			// The class's own mean and weight, with the precision of all.
			own := conjugate.NormalGamma{Mu: mean, Kappa: realPrior, A: a, B: b, N: cell.n, Mean: cell.mean}
			mu, kappa, _, _ := own.Params()
			*d = realDensity{mu: mu, s2: b / a * (kappa + 1) / kappa, nu: 2 * a}
			d.top = above - below - math.Log(d.nu*math.Pi*d.s2)/2
		case cell.n == 0:
			*d = realDensity{mu: mean, s2: variance, nu: math.Inf(1)}
		default:
			*d = realDensity{mu: cell.mean, s2: within/divisor + realFloor*variance, nu: math.Inf(1)}
		}
		if math.IsInf(d.nu, 1) {
			d.top = -math.Log(2*math.Pi*d.s2) / 2
		}
		d.known = d.s2 > 0
	}
}
