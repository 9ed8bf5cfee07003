// Package binomial bounds, from a sample, the share of all documents that lie beyond a
// cut-off, whatever their distribution is: the one-sided tolerance limits of S. S. Wilks
// (Determination of sample sizes for setting tolerance limits, Annals of Mathematical
// Statistics 12, 1941), which are the exact binomial bounds of Clopper and Pearson.
package binomial

import "math"

// Exceeding returns how many of n documents may lie beyond a cut-off, one of their own
// values, so that with the given confidence at most a share of rate of all documents
// does: the greatest r with
//
//	P(X ≤ r) ≤ 1 - confidence,  X binomial with n trials of probability rate
//
// It returns -1 if n is too small for any, that is below Needed(rate, confidence). rate
// and confidence are above 0 and below 1.
func Exceeding(n int, rate, confidence float64) int {
	// The terms are taken from their logarithms one by one: the first may be too small
	// for a float64 where later ones are not.
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

// Needed returns the least number of documents of which Exceeding allows the greatest to
// be the cut-off: the least n with (1-rate)^n ≤ 1 - confidence.
func Needed(rate, confidence float64) int {
	return int(math.Ceil(math.Log(1-confidence) / math.Log1p(-rate)))
}

// Rate returns the least rate of which n documents are enough to know: the one for which
// Needed is n.
func Rate(n int, confidence float64) float64 {
	return -math.Expm1(math.Log(1-confidence) / float64(n))
}
