package eval

import "math"

// LogSizes returns whole numbers from first to last whose logarithms are, except for
// rounding, equally spaced,
//
//	round(first · 10^(i/perDecade))    i = 0, 1, …
//
// ascending, without repetition, and last at the end. With 3 per decade from 10 these are
// 10, 22, 46, 100, 215, 464, 1000, …. It returns last alone if first is not below it, and
// nothing if last is 0. It panics if first or perDecade is not positive, or last is
// negative.
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
