package conjugate

import (
	"fmt"
	"math"
)

// stirling returns the remainder of Stirling's formula for log Γ,
//
//	δ(x) = log Γ(x) - (x-½) log x + x - ½ log 2π, x > 0
//
// by the series of Abramowitz and Stegun, Handbook of Mathematical Functions, 6.1.41,
// from 10 on, and below by Γ(x+1) = xΓ(x).
func stirling(x float64) float64 {
	sum := 0.0
	for ; x < 10; x++ {
		sum += (x+0.5)*(math.Log1p(x)-math.Log(x)) - 1
	}
	y := 1 / (x * x)
	series := 1./12 + y*(-1./360+y*(1./1260+y*(-1./1680+y*(1./1188+y*(-691./360360+y*(1./156))))))
	return sum + series/x
}

// logRising returns log Γ(a+n)/Γ(a) for a ≥ 0, n ≥ 0: the logarithm of the rising
// factorial a(a+1)…(a+n-1) if n is a whole number. It is 0 for n = 0 and -Inf for
// a = 0 otherwise.
func logRising(a, n float64) float64 {
	switch {
	case n == 0:
		return 0
	case a == 0:
		return math.Inf(-1)
	case n <= 16 && n == math.Trunc(n):
		sum := 0.0
		for j := range int(n) {
			sum += math.Log(a + float64(j))
		}
		return sum
	}
	return (a-0.5)*math.Log1p(n/a) + n*(math.Log(a+n)-1) + stirling(a+n) - stirling(a)
}

// logChoose returns the logarithm of the binomial coefficient of m over k ≤ m.
func logChoose(m, k uint64) float64 {
	k = min(k, m-k)
	return logRising(float64(m-k)+1, float64(k)) - logRising(1, float64(k))
}

// misuse panics with a message about the caller's mistake.
func misuse(format string, args ...any) {
	panic("conjugate: " + fmt.Sprintf(format, args...))
}

// isFinite reports whether x is a number and not infinite.
func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// logOf returns log x for x = 1 + d, from the more precise of the two.
func logOf(x, d float64) float64 {
	if math.Abs(d) < 0.5 {
		return math.Log1p(d)
	}
	return math.Log(x)
}
