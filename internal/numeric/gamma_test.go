package numeric

import (
	"math"
	"testing"
)

func near(x, y, tol float64) bool {
	return x == y || math.Abs(x-y) <= tol*max(1, math.Abs(x), math.Abs(y))
}

// exactSum adds up f(0) … f(n-1) with Neumaier's compensation, so that the
// result is as good as its terms.
func exactSum(n int, f func(j int) float64) float64 {
	var sum, lost float64
	for j := range n {
		x := f(j)
		next := sum + x
		if math.Abs(sum) >= math.Abs(x) {
			lost += (sum - next) + x
		} else {
			lost += (x - next) + sum
		}
		sum = next
	}
	return sum + lost
}

func TestLogRising(t *testing.T) {
	t.Parallel()
	for _, a := range []float64{1e-300, 1e-12, 1e-3, .5, 1, 7.25, 63.9, 64, 100, 1e4, 1e6, 1e9, 1e15} {
		for _, n := range []int{0, 1, 2, 16, 17, 100, 255, 5000, 100_000} {
			want := exactSum(n, func(j int) float64 { return math.Log(a + float64(j)) })
			if got := LogRising(a, n); !near(got, want, 2e-14) {
				t.Errorf("LogRising(%v, %d) = %v, want %v", a, n, got, want)
			}
		}
	}
}

func TestHarmonic(t *testing.T) {
	t.Parallel()
	for _, a := range []float64{1e-3, .5, 1, 7.25, 63.9, 64, 100, 1e4, 1e6, 1e9} {
		for _, n := range []int{0, 1, 7, 8, 100, 5000, 100_000} {
			want := exactSum(n, func(j int) float64 { return 1 / (a + float64(j)) })
			if got := Harmonic(a, uint64(n)); !near(got/want, 1, 2e-14) && got != want {
				t.Errorf("Harmonic(%v, %d) = %v, want %v", a, n, got, want)
			}
		}
	}
}
