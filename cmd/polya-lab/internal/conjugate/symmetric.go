package conjugate

import (
	"maps"
	"math"
	"slices"
)

// Symmetric is the Dirichlet prior with the same Alpha for each of K types, for types too
// numerous to list, such as the terms of a vocabulary. It holds no counts: its methods
// take n, the count of one type, and total, the count of all types.
//
// Alpha ≥ 0, finite, and K ≥ 1. If Alpha is 0 and nothing was counted, everything is
// NaN.
type Symmetric struct {
	Alpha float64
	K     uint64
}

// Dirichlet returns the same prior with its K parameters listed.
func (s Symmetric) Dirichlet() Dirichlet {
	s.check(0, 0)
	d := Dirichlet{Alpha: make([]float64, s.K)}
	for k := range d.Alpha {
		d.Alpha[k] = s.Alpha
	}
	return d
}

func (s Symmetric) check(n, total uint64) {
	if !(s.Alpha >= 0 && isFinite(s.Alpha) && s.K >= 1) {
		misuse("Symmetric(%v) of %d types: want 0 or more, of 1 or more types", s.Alpha, s.K)
	}
	if !(n <= total) {
		misuse("%d counted of one type, %d of all", n, total)
	}
}

// LogFuture returns the logarithm of the probability that the next data are a given
// sequence with the counts future, after a sequence with the counts seen. Both are by
// type and may omit trailing zeros.
func (s Symmetric) LogFuture(seen, future []uint64) float64 {
	s.check(0, 0)
	if !(uint64(max(len(seen), len(future))) <= s.K) {
		misuse("Symmetric of %d types: %d and %d counts", s.K, len(seen), len(future))
	}
	sum, total, n := 0.0, uint64(0), uint64(0)
	for k, count := range future {
		had := uint64(0)
		if k < len(seen) {
			had = seen[k]
		}
		sum += logRising(s.Alpha+float64(had), float64(count))
		n += count
	}
	for _, count := range seen {
		total += count
	}
	return sum - logRising(s.Alpha*float64(s.K)+float64(total), float64(n))
}

// LogMarginal returns the logarithm of the probability of a sequence with these counts,
// averaged over the prior. counts is by type and may omit trailing zeros.
func (s Symmetric) LogMarginal(counts []uint64) float64 { return s.LogFuture(nil, counts) }

// LogMarginalOf is LogMarginal of a count-of-counts histogram: types[n] types occurred n
// times, and the rest of the K types never.
func (s Symmetric) LogMarginalOf(types map[uint64]uint64) float64 {
	s.check(0, 0)
	sum, total, listed := 0.0, 0.0, uint64(0)
	for _, n := range slices.Sorted(maps.Keys(types)) {
		sum += float64(types[n]) * logRising(s.Alpha, float64(n))
		total += float64(types[n]) * float64(n)
		listed += types[n]
	}
	if !(listed <= s.K) {
		misuse("Symmetric of %d types: counts of %d", s.K, listed)
	}
	return sum - logRising(s.Alpha*float64(s.K), total)
}

// LogMarginalCounts is LogMarginal for the counts in any order: greater by the logarithm
// of the number of orders.
func (s Symmetric) LogMarginalCounts(counts []uint64) float64 {
	return s.LogMarginal(counts) + logMultinomial(counts)
}

// LogPredictive returns the logarithm of Predictive.
func (s Symmetric) LogPredictive(n, total uint64) float64 { return math.Log(s.Predictive(n, total)) }

// Marginal returns the distribution of the type's probability, Beta(Alpha + n, Alpha(K-1)
// + total - n).
func (s Symmetric) Marginal(n, total uint64) Beta {
	s.check(n, total)
	return Beta{A: s.Alpha, B: s.Alpha * float64(s.K-1), Yes: n, No: total - n}
}

// Mean returns Predictive.
func (s Symmetric) Mean(n, total uint64) float64 { return s.Predictive(n, total) }

// Mode returns the probability of the type at the maximum of the joint posterior of all K,
//
//	(n + Alpha - 1) / (total + K(Alpha - 1))
//
// It differs from the mode of Marginal. NaN for Alpha < 1, where there may be no maximum,
// and for Alpha = 1 with total = 0.
func (s Symmetric) Mode(n, total uint64) float64 {
	s.check(n, total)
	if s.Alpha < 1 {
		return math.NaN()
	}
	return (float64(n) + s.Alpha - 1) / (float64(total) + float64(s.K)*(s.Alpha-1))
}

// Predictive returns the probability that the next datum is of the type,
//
//	(n + Alpha) / (total + Alpha K)
func (s Symmetric) Predictive(n, total uint64) float64 {
	s.check(n, total)
	return (float64(n) + s.Alpha) / (float64(total) + s.Alpha*float64(s.K))
}

// StdDev returns the square root of Variance, the standard error of Mean.
func (s Symmetric) StdDev(n, total uint64) float64 { return s.Marginal(n, total).StdDev() }

// Variance returns the variance of Marginal.
func (s Symmetric) Variance(n, total uint64) float64 { return s.Marginal(n, total).Variance() }
