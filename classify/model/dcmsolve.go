package model

import (
	"github.com/polya-classifier/polya/classify/internal/gamma"
	"github.com/polya-classifier/polya/store/count"
)

// dcmAlpha returns the α of a term: the root of
//
//	s(α) = Σ_j U_j/(α+j) + ε/α = d
//
// One level has (U_0+ε)/d. Otherwise dcmNewton starts from the greater of two
// bounds below the root: (U_0+ε)/d, which leaves out all levels but the first,
// and, by Jensen's inequality, (N+ε)/d - j̄ with N = Σ_j U_j and j̄ =
// Σ_j j U_j/(N+ε).
func dcmAlpha(u []uint32, epsilon, d float64) float64 {
	if len(u) == 0 {
		return epsilon / d
	}
	first := (float64(u[0]) + epsilon) / d
	if len(u) == 1 {
		return first
	}
	n, weighted := epsilon, 0.0
	for j, count := range u {
		n += float64(count)
		weighted += float64(j) * float64(count)
	}
	return dcmNewton(u, epsilon, d, max(first, n/d-weighted/n))
}

// dcmNewton solves the equation of dcmAlpha from a bound below the root, by
// Newton's method for 1/s(α) = 1/d: as a weighted harmonic mean of lines, 1/s is
// concave, increasing and nearly a line itself, so that the steps go up to the
// root monotonically, and three or four of them do.
func dcmNewton(u []uint32, epsilon, d, alpha float64) float64 {
	for range 100 {
		s, t, x := epsilon/alpha, epsilon/(alpha*alpha), alpha
		for _, count := range u {
			r := 1 / x
			a := float64(count) * r
			s += a
			t += a * r
			x++
		}
		step := s * (s - d) / (d * t)
		alpha += step
		// Convergence is quadratic: the next step would be below the rounding.
		if step <= 1e-8*alpha {
			break
		}
	}
	return alpha
}

// dcmD returns
//
//	d = Σ_m L_m/(A+m) + εV/A
//
// with L_m the documents longer than m and pseudo = εV.
func dcmD(lengths []count.Pair, pseudo, a float64) float64 {
	var d, longer float64
	for i := len(lengths) - 1; i >= 0; i-- {
		var from uint64
		if i > 0 {
			from = lengths[i-1].N
		}
		longer += float64(lengths[i].Count)
		d += longer * gamma.Harmonic(a+float64(from), lengths[i].N-from)
	}
	return d + pseudo/a
}
