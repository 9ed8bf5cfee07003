package eval

import (
	"fmt"
	"math"
	"slices"
)

// LogSizes returns whole numbers from first to last whose logarithms lie, but for
// rounding, equally far apart,
//
//	round(first · 10^(i/perDecade))    i = 0, 1, …
//
// ascending, without repetition, and last at the end. With 3 a decade from 10 that
// is 10, 22, 46, 100, 215, 464, 1000, …. It returns last alone if first is not below
// it, and nothing if last is 0. It panics if first or perDecade is not positive, or
// last is negative.
func LogSizes(first, last, perDecade int) []int {
	if first <= 0 || last < 0 || perDecade <= 0 {
		panic("eval: sizes out of range")
	}
	var sizes []int
	for i := 0; ; i++ {
		// A whole number of decades is exact.
		size := math.Round(float64(first) * math.Pow10(i/perDecade) * math.Pow(10, float64(i%perDecade)/float64(perDecade)))
		if size >= float64(last) {
			break
		}
		if n := int(size); len(sizes) == 0 || n > sizes[len(sizes)-1] {
			sizes = append(sizes, n)
		}
	}
	if last > 0 {
		sizes = append(sizes, last)
	}
	return sizes
}

// CurvePoint is what a classifier says after it has learned Docs documents.
type CurvePoint struct {
	Docs    int
	Results *Results
}

// LearningCurve tests a classifier as its training set grows. For each size, in
// ascending order, it calls train with the documents from, up to but without to,
// that are to be learned beside those learned before, and then test. The documents
// should be in an order such as that of Order, so that every size is a sample of all.
// An error of train or test ends it; the points before are returned with the error.
// It panics if the sizes are negative or not ascending.
func LearningCurve(sizes []int, train func(from, to int) error, test func() (*Results, error)) ([]CurvePoint, error) {
	if !slices.IsSorted(sizes) || len(sizes) > 0 && sizes[0] < 0 {
		panic("eval: sizes out of order")
	}
	var curve []CurvePoint
	var learned int
	for _, size := range sizes {
		if err := train(learned, size); err != nil {
			return curve, fmt.Errorf("learning documents %d to %d: %w", learned, size, err)
		}
		learned = size
		r, err := test()
		if err != nil {
			return curve, fmt.Errorf("after %d documents: %w", size, err)
		}
		curve = append(curve, CurvePoint{size, r})
	}
	return curve, nil
}
