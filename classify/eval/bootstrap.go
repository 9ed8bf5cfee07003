package eval

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Bootstrap estimates the sampling error of a mean: it repeatedly draws as many documents
// as there are, with replacement, and takes the quantiles of the means (Efron's
// percentile interval).
type Bootstrap struct {
	// Samples is the number of samples to draw; 0 is 1000.
	Samples int

	// Level is the confidence level of the interval, below 1; 0 is 0.95.
	Level float64

	// Seed makes the samples repeatable.
	Seed uint64
}

// Interval is a mean and the bounds of its bootstrap interval.
type Interval struct {
	// Value is the mean over the documents themselves.
	Value float64

	// Low and High are the quantiles (1-Level)/2 and (1+Level)/2 of the means
	// of the samples, interpolated linearly between neighbours (type 7 of
	// Hyndman and Fan, numpy's default).
	Low, High float64

	// Samples is the number of samples behind Low and High: samples whose mean is NaN are
	// left out. If there are none, Low and High are NaN.
	Samples int
}

// Means returns the interval of the mean of each of values, slices with one number for
// each document, all on the same samples: for accuracies and losses, and for differences
// between two classifiers. Infinite numbers give infinite bounds, or NaN where both
// infinities meet. It panics if the slices differ in length, Samples is negative, or
// Level is not within 0 and 1.
func (b Bootstrap) Means(values ...[]float64) []Interval {
	samples, level := b.defaults()
	n := 0
	for k, v := range values {
		if k > 0 && len(v) != n {
			panic("eval: slice length mismatch")
		}
		n = len(v)
	}
	// The numbers of a document are adjacent, since they are read together.
	rows := make([]float64, n*len(values))
	for k, v := range values {
		for i, x := range v {
			rows[i*len(values)+k] = x
		}
	}
	random := rand.New(rand.NewPCG(b.Seed, 0))
	sums, seen := make([]float64, len(values)), make([][]float64, len(values))
	for range samples {
		clear(sums)
		for range n {
			row := rows[random.IntN(n)*len(sums):][:len(sums)]
			for k, x := range row {
				sums[k] += x
			}
		}
		for k, sum := range sums {
			if m := sum / float64(n); !math.IsNaN(m) {
				seen[k] = append(seen[k], m)
			}
		}
	}
	intervals := make([]Interval, len(values))
	for k, v := range values {
		slices.Sort(seen[k])
		intervals[k] = Interval{mean(v), quantile(seen[k], (1-level)/2), quantile(seen[k], (1+level)/2), len(seen[k])}
	}
	return intervals
}

func (b Bootstrap) defaults() (samples int, level float64) {
	if b.Samples < 0 || !(b.Level >= 0 && b.Level < 1) {
		panic("eval: bootstrap out of range")
	}
	samples, level = b.Samples, b.Level
	if samples == 0 {
		samples = 1000
	}
	if level == 0 {
		level = 0.95
	}
	return samples, level
}

// quantile returns the value at position (n-1)q, from 0, of n sorted values, interpolated
// linearly between neighbours; NaN if there are none.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
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
