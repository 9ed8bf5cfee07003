// Package binomial bounds, from a sample, the share of all documents that exceed a
// cut-off, for any distribution: the one-sided tolerance limits of S. S. Wilks
// (Determination of sample sizes for setting tolerance limits, Annals of Mathematical
// Statistics 12, 1941), which are the exact binomial bounds of Clopper and Pearson.
package binomial

import "math"

// Exceeding returns how many of n documents may exceed a cut-off, one of their own
// values, so that with the given confidence at most a share of rate of all documents
// does: the greatest r with
//
//	P(X ≤ r) ≤ 1 - confidence,  X binomial with n trials of probability rate
//
// It returns -1 if n is too small, below Needed(rate, confidence). rate and confidence
// are above 0 and below 1.
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

// Needed returns the least number of documents for which Exceeding allows the greatest
// value as the cut-off: the least n with (1-rate)^n ≤ 1 - confidence.
func Needed(rate, confidence float64) int {
	return int(math.Ceil(math.Log(1-confidence) / math.Log1p(-rate)))
}

// Rate returns the least rate for which n documents are enough: the one for which Needed
// is n.
func Rate(n int, confidence float64) float64 {
	return -math.Expm1(math.Log(1-confidence) / float64(n))
}
