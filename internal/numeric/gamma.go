package numeric

import "math"

// stirling is the argument from which the asymptotic series below are exact
// to rounding.
const stirling = 64

// Harmonic returns
//
//	Σ_{m<n} 1/(a+m) = ψ(a+n) - ψ(a)
//
// From stirling on it is the difference of the asymptotic series of ψ, taken
// term by term: the difference of two digammas would lose all digits to
// cancellation as a grows.
func Harmonic(a float64, n uint64) float64 {
	var sum float64
	for ; n > 0 && (a < stirling || n < 8); n-- {
		sum += 1 / a
		a++
	}
	if n == 0 {
		return sum
	}
	b := a + float64(n)
	ra, rb := 1/(a*a), 1/(b*b)
	return sum + math.Log1p(float64(n)/a) + float64(n)/(2*a*b) +
		(ra-rb)/12 - (ra*ra-rb*rb)/120 + (ra*ra*ra-rb*rb*rb)/252
}

// LogRising returns
//
//	log Γ(a+n) - log Γ(a) = Σ_{j<n} log(a+j)
//
// for a > 0 and n ≥ 0: the logarithm of the rising factorial. It is the sum itself where
// that is short, from stirling on the difference of Stirling's series, again term by
// term, and the difference of two log Γ only in between, where they are small.
func LogRising(a float64, n int) float64 {
	switch {
	case n <= 16:
		var sum float64
		for j := range n {
			sum += math.Log(a + float64(j))
		}
		return sum
	case a < stirling:
		high, _ := math.Lgamma(a + float64(n))
		low, _ := math.Lgamma(a)
		return high - low
	}
	x := float64(n)
	b := a + x
	ra, rb := 1/a, 1/b
	return x*math.Log(a) + ((b-0.5)*math.Log1p(x/a) - x) -
		x*ra*rb/12 + (ra*ra*ra-rb*rb*rb)/360 - (ra*ra*ra*ra*ra-rb*rb*rb*rb*rb)/1260
}
