package numeric

import "math"

// Exceeding returns how many of a sample of n may exceed a cut-off, one of their own
// values, so that with the given confidence at most a share of rate of all exceeds it,
// whatever the distribution: the greatest r with
//
//	P(X ≤ r) ≤ 1 - confidence,  X binomial with n trials of probability rate
//
// It returns -1 if n is below LeastSample(rate, confidence). rate and confidence are above
// 0 and below 1. These are the one-sided tolerance limits of S. S. Wilks (Determination of
// sample sizes for setting tolerance limits, Annals of Mathematical Statistics 12, 1941),
// the exact binomial bounds of Clopper and Pearson.
func Exceeding(n int, rate, confidence float64) int {
	// Each term is computed from its logarithm: the first may underflow a float64 although
	// later ones do not.
	logOdds := math.Log(rate) - math.Log1p(-rate)
	logTerm := float64(n) * math.Log1p(-rate)
	sum := 0.0
	for r := range n {
		sum += math.Exp(logTerm)
		if sum > 1-confidence {
			return r - 1
		}
		logTerm += logOdds + math.Log(float64(n-r)/float64(r+1))
	}
	return n - 1
}

// LeastSample returns the least size of a sample for which Exceeding allows the greatest
// value as the cut-off: the least n with (1-rate)^n ≤ 1 - confidence.
func LeastSample(rate, confidence float64) int {
	return int(math.Ceil(math.Log(1-confidence) / math.Log1p(-rate)))
}
