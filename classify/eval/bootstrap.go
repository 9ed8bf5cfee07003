package eval

import (
	"math"
	"math/rand/v2"
	"slices"
)

// samples is the number of samples of Bootstrap.
const samples = 1000

// Interval is a mean over documents and the bounds of its 95 % bootstrap interval: the quantiles
// .025 and .975 of the means of the samples, interpolated linearly between neighbours (type 7 of
// Hyndman and Fan, numpy's default). NaN if there are no documents.
type Interval struct{ Value, Low, High float64 }

// Bootstrap estimates the sampling error of the mean of each of values, slices with one number
// for each document: a thousand times it draws as many documents as there are, with replacement,
// and takes the quantiles of the means (Efron's percentile interval). All means are of the same
// samples, for accuracies and losses, and for differences between two classifiers; equal seeds
// give equal samples. It panics if the slices differ in length.
func Bootstrap(seed uint64, values ...[]float64) []Interval {
	n := 0
	for k, v := range values {
		if k > 0 && len(v) != n {
			panic("eval: slice length mismatch")
		}
		n = len(v)
	}
	random := rand.New(rand.NewPCG(seed, 0))
	sums, seen := make([]float64, len(values)), make([][]float64, len(values))
	for range samples {
		clear(sums)
		for range n {
			i := random.IntN(n)
			for k, v := range values {
				sums[k] += v[i]
			}
		}
		for k, sum := range sums {
			seen[k] = append(seen[k], sum/float64(n))
		}
	}
	intervals := make([]Interval, len(values))
	for k, v := range values {
		slices.Sort(seen[k])
		intervals[k] = Interval{mean(v), quantile(seen[k], .025), quantile(seen[k], .975)}
	}
	return intervals
}

// quantile returns the value at position (n-1)q, from 0, of n sorted values, interpolated
// linearly between neighbours.
func quantile(sorted []float64, q float64) float64 {
	whole, part := math.Modf(float64(len(sorted)-1) * q)
	low := sorted[int(whole)]
	if part == 0 {
		return low
	}
	high := sorted[int(whole)+1]
	if low == high {
		return low // also for infinities
	}
	return low + part*(high-low)
}

// mean returns the mean of v, NaN if it is empty.
func mean(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}
