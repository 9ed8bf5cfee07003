package conjugate

import "math"

// Interval returns the central credible interval of θ with probability level, 0 to 1:
// equal probability is left out below and above.
func (b Beta) Interval(level float64) (low, high float64) {
	if !(level >= 0 && level <= 1) {
		misuse("interval of level %v: want 0 to 1", level)
	}
	return b.Quantile((1 - level) / 2), b.Quantile((1 + level) / 2)
}

// Quantile returns the θ with posterior probability p below it: the inverse of CDF. p is
// 0 to 1. A θ within 1e-16 of 1 is returned as 1.
func (b Beta) Quantile(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		misuse("quantile %v: want 0 to 1", p)
	}
	x, y := b.Params()
	switch {
	case x+y == 0:
		return math.NaN()
	case p == 0 || x == 0:
		return 0
	case p == 1 || y == 0:
		return 1
	}
	// Floating-point numbers from 0 to 1 have the order of their bits, so bisecting the bits
	// finds a θ of 1e-200 in as many steps as any.
	low, high := uint64(0), math.Float64bits(1)
	for high-low > 1 {
		middle := low + (high-low)/2
		if regularised(x, y, math.Float64frombits(middle)) < p {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Float64frombits(high)
}

// regularised returns I_x(a, b) for a, b > 0 and 0 < x < 1.
func regularised(a, b, x float64) float64 {
	if x < (a+1)/(a+b+2) {
		return math.Exp(logKernel(a, b, x)) / (a * fraction(a, b, x))
	}
	return 1 - math.Exp(logKernel(a, b, x))/(b*fraction(b, a, 1-x))
}

// logKernel returns log x^a (1-x)^b / B(a, b). With n = a + b and Stirling's formula
// it is
//
//	a log(xn/a) + b log((1-x)n/b) + ½ log(ab/(2πn)) - δ(a) - δ(b) + δ(n)
//
// whose first two terms are small where the density is not.
func logKernel(a, b, x float64) float64 {
	n, t := a+b, x*b-(1-x)*a
	return a*logOf(x*(n/a), t/a) + b*logOf((1-x)*(n/b), -t/b) + 0.5*math.Log(a/n*b/(2*math.Pi)) - stirling(a) - stirling(b) + stirling(n)
}

// fraction returns the continued fraction 1 + d₁/(1 + d₂/(1 + …)) of NIST's Digital
// Library of Mathematical Functions, 8.17.22, with
//
//	d_2m   = m(b-m)x / ((a+2m-1)(a+2m))
//	d_2m+1 = -(a+m)(a+b+m)x / ((a+2m)(a+2m+1))
//
// by the method of W. Lentz as modified by I. Thompson and A. Barnett. It takes about
// √max(a, b) steps where x < (a+1)/(a+b+2).
func fraction(a, b, x float64) float64 {
	const tiny = 1e-300 // in place of a denominator of 0
	f, c, d := 1.0, 1.0, 0.0
	for i := 1; i < 1e7; i++ {
		m := float64(i / 2)
		var term float64
		if i%2 == 0 {
			term = m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		} else {
			term = -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		}
		if d = 1 + term*d; d == 0 {
			d = tiny
		}
		if c = 1 + term/c; c == 0 {
			c = tiny
		}
		d = 1 / d
		f *= c * d
		if math.Abs(c*d-1) < 1e-16 {
			break
		}
	}
	return f
}
