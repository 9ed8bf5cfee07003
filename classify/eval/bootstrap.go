package eval

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Bootstrap tells how far a measure may be off because the documents happened to be
// these: it draws as many documents as there are, with replacement, again and again,
// and looks at how the measure spreads (Efron's percentile interval).
type Bootstrap struct {
	// Samples is how often is drawn; 0 stands for 1000.
	Samples int

	// Level is the probability that the interval is to hold, below 1; 0 stands
	// for 0.95.
	Level float64

	// Seed makes what is drawn repeatable.
	Seed uint64

	// Stratified draws from each true class as many documents as it has, so that
	// the sizes of the classes do not vary.
	Stratified bool
}

// Interval is a measure and the bounds of its bootstrap interval.
type Interval struct {
	// Value is the measure of the documents themselves.
	Value float64

	// Low and High are the quantiles (1-Level)/2 and (1+Level)/2 of the measure
	// over the samples, interpolated linearly between neighbours (type 7 of
	// Hyndman and Fan, numpy's default).
	Low, High float64

	// Samples is the number of samples that Low and High were read from: those
	// whose measure is NaN, such as a ROC area of a sample without positives, are
	// left out. If there are none, Low and High are NaN.
	Samples int
}

// Interval returns the interval of a measure of r. It panics if Samples is negative
// or Level not within 0 and 1.
func (b Bootstrap) Interval(r *Results, measure Measure) Interval {
	samples, level := b.defaults()
	var answers []Answer
	return b.run(r, samples, level, measure(r), func(indices []int) float64 {
		s := r.sample(answers, indices)
		answers = s.answers
		return measure(s)
	})
}

// Difference returns the interval of measure(x) - measure(y), both taken on the same
// samples. If it does not hold 0, one of the classifiers is better. It returns an
// error if x and y are not about the same documents in the same order, and panics
// where Interval does.
func (b Bootstrap) Difference(x, y *Results, measure Measure) (Interval, error) {
	samples, level := b.defaults()
	if err := sameDocuments(x, y); err != nil {
		return Interval{}, err
	}
	var answersX, answersY []Answer
	return b.run(x, samples, level, measure(x)-measure(y), func(indices []int) float64 {
		sx, sy := x.sample(answersX, indices), y.sample(answersY, indices)
		answersX, answersY = sx.answers, sy.answers
		return measure(sx) - measure(sy)
	}), nil
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

// run draws indices into the answers of r and collects what measure has of them.
func (b Bootstrap) run(r *Results, samples int, level, value float64, measure func([]int) float64) Interval {
	random := rand.New(rand.NewPCG(b.Seed, 0))
	strata := b.strata(r)
	indices := make([]int, 0, len(r.answers))
	var seen []float64
	for range samples {
		indices = indices[:0]
		for _, stratum := range strata {
			for range stratum {
				indices = append(indices, stratum[random.IntN(len(stratum))])
			}
		}
		if v := measure(indices); !math.IsNaN(v) {
			seen = append(seen, v)
		}
	}
	slices.Sort(seen)
	return Interval{value, quantile(seen, (1-level)/2), quantile(seen, (1+level)/2), len(seen)}
}

// strata returns the indices of the answers that are drawn from together.
func (b Bootstrap) strata(r *Results) [][]int {
	strata := make([][]int, 1)
	if b.Stratified {
		strata = make([][]int, len(r.classes))
	}
	for i, a := range r.answers {
		s := 0
		if b.Stratified {
			s = a.Class
		}
		strata[s] = append(strata[s], i)
	}
	return strata
}

// quantile returns the value at (n-1)q, counted from 0, of n sorted values, between
// neighbours by their weighted mean; NaN if there are none.
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
		return low // infinities, too
	}
	return low + part*(high-low)
}

// Means returns the intervals of the means of values, each a slice with one number
// for each document, all taken on the same samples: those that Interval draws of as
// many answers. It takes a fraction of the time of Interval for measures that are
// means, such as accuracy and log loss, and differences of these. Infinite numbers
// give infinite bounds, or none where both infinities meet. It panics if the slices
// differ in length, if b is stratified, and where Interval does.
func (b Bootstrap) Means(values ...[]float64) []Interval {
	samples, level := b.defaults()
	if b.Stratified {
		panic("eval: no classes to stratify by")
	}
	n := 0
	for k, v := range values {
		if k > 0 && len(v) != n {
			panic("eval: slice length mismatch")
		}
		n = len(v)
	}
	// The numbers of a document lie together, as they are read together.
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

// mean returns the mean of v, NaN if it is empty.
func mean(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}
