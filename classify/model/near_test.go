package model

import "math"

var inf = math.Inf(1)

// near reports whether x and y differ by at most tol, relative to the greater of
// them and 1, or are the same infinity.
func near(x, y, tol float64) bool {
	return x == y || math.Abs(x-y) <= tol*max(1, math.Abs(x), math.Abs(y))
}
