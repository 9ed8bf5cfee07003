package classify

import (
	"math"
	"slices"
	"testing"
)

// near reports whether x and y differ by at most tol, relative to the greater of
// them and 1, or are the same infinity.
func near(x, y, tol float64) bool {
	return x == y || math.Abs(x-y) <= tol*max(1, math.Abs(x), math.Abs(y))
}

func checkNear(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(x, y float64) bool { return math.Abs(x-y) <= tol }) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
