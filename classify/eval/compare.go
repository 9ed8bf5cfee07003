package eval

import (
	"math"
	"math/rand/v2"
	"slices"
)

// McNemar is McNemar's test of whether two classifiers, a and b, err equally often on the
// same documents. It uses only documents that exactly one of them classifies correctly.
type McNemar struct {
	OnlyA int // documents that only a classifies correctly
	OnlyB int // documents that only b classifies correctly
}

// CompareErrors returns the counts of McNemar's test. It panics if a and b are not about the same
// documents, by id and true class, in the same order.
func CompareErrors(a, b *Results) (m McNemar) {
	if len(a.Answers) != len(b.Answers) {
		panic("eval: not the same documents")
	}
	for i := range a.Answers {
		x, y := &a.Answers[i], &b.Answers[i]
		if x.ID != y.ID || a.Classes[x.Class] != b.Classes[y.Class] {
			panic("eval: not the same documents")
		}
		switch rightA, rightB := x.Said == x.Class, y.Said == y.Class; {
		case rightA && !rightB:
			m.OnlyA++
		case rightB && !rightA:
			m.OnlyB++
		}
	}
	return m
}

// P returns the probability that equally good classifiers differ at least as much, the two-sided
// binomial
//
//	min(1, 2 Σ_{i=0}^{k} C(n,i) 2^-n)    n = OnlyA + OnlyB, k = min(OnlyA, OnlyB)
//
// 1 if no document counts. It takes time proportional to k.
func (m McNemar) P() float64 {
	n, k := m.OnlyA+m.OnlyB, min(m.OnlyA, m.OnlyB)
	// The last term, halved as it grows so that it neither overflows nor underflows; the
	// others follow from it by their ratios.
	last, halvings := 1.0, n
	for i := 1; i <= k; i++ {
		last *= float64(n-k+i) / float64(i)
		for ; last > 1 && halvings > 0; halvings-- {
			last /= 2
		}
	}
	sum, term := 1.0, 1.0
	for i := k; i > 0; i-- {
		term *= float64(i) / float64(n-i+1)
		sum += term
	}
	return math.Min(1, 2*math.Ldexp(last*sum, -halvings))
}

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
		intervals[k] = Interval{Mean(v), quantile(seen[k], .025), quantile(seen[k], .975)}
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

// Mean returns the mean of v, NaN if it is empty.
func Mean(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}
