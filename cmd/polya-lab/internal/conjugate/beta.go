package conjugate

import "math"

// Beta is a distribution of the probability θ of a yes: a Beta(A, B) prior
//
//	p(θ) = θ^(A-1) (1-θ)^(B-1) Γ(A+B) / (Γ(A) Γ(B)), 0 ≤ θ ≤ 1
//
// and the observed counts Yes and No; the posterior is Beta(a, b)
//
//	a = A + Yes,  b = B + No
//
// (Murphy 2012, section 3.3). A ≥ 0 and B ≥ 0, finite. A = B = 1 is uniform, and its
// Mean is Laplace's rule of succession; with A = B = 0 (Haldane) the Mean is the
// maximum likelihood estimate.
//
// Special cases:
//
//	a = b = 0: everything is NaN
//	a = 0 or b = 0: θ is 0 or 1 with certainty
type Beta struct {
	A, B    float64
	Yes, No uint64
}

// Update returns the distribution after yes and no further answers.
func (b Beta) Update(yes, no uint64) Beta {
	b.Yes += yes
	b.No += no
	return b
}

// Params returns a and b of the posterior.
func (b Beta) Params() (alpha, beta float64) {
	if !(b.A >= 0 && b.B >= 0 && isFinite(b.A) && isFinite(b.B)) {
		misuse("Beta(%v, %v): want parameters of 0 or more", b.A, b.B)
	}
	return b.A + float64(b.Yes), b.B + float64(b.No)
}

// LogFuture returns the logarithm of the probability that the next answers are a given
// sequence with these counts,
//
//	Γ(a+yes)/Γ(a) Γ(b+no)/Γ(b) Γ(a+b)/Γ(a+b+yes+no)
//
// Trials gives the probability of the counts in any order.
func (b Beta) LogFuture(yes, no uint64) float64 {
	x, y := b.Params()
	return logRising(x, float64(yes)) + logRising(y, float64(no)) - logRising(x+y, float64(yes)+float64(no))
}

// LogMarginal returns the logarithm of the probability of the counted sequence, averaged
// over the prior: LogFuture from the prior.
func (b Beta) LogMarginal() float64 { return Beta{A: b.A, B: b.B}.LogFuture(b.Yes, b.No) }

// LogMarginalCounts is LogMarginal for the counts in any order: greater by the logarithm
// of the number of orders.
func (b Beta) LogMarginalCounts() float64 { return b.LogMarginal() + logChoose(b.Yes+b.No, b.Yes) }

// LogPredictive returns the logarithm of Predictive.
func (b Beta) LogPredictive() float64 { return math.Log(b.Mean()) }

// LogProb returns the logarithm of the posterior density at theta, -Inf outside of
// 0 to 1.
func (b Beta) LogProb(theta float64) float64 {
	x, y := b.Params()
	switch {
	case x == 0 || y == 0:
		return math.NaN()
	case !(theta >= 0 && theta <= 1):
		return math.Inf(-1)
	case theta == 0:
		return logProbAtEnd(x, y)
	case theta == 1:
		return logProbAtEnd(y, x)
	}
	return logKernel(x, y, theta) - math.Log(theta) - math.Log1p(-theta)
}

// logProbAtEnd is the density of Beta(a, b) at 0.
func logProbAtEnd(a, b float64) float64 {
	switch {
	case a > 1:
		return math.Inf(-1)
	case a < 1:
		return math.Inf(1)
	}
	return math.Log(b)
}

// Mean returns a/(a+b).
func (b Beta) Mean() float64 {
	x, y := b.Params()
	return x / (x + y)
}

// Mode returns (a-1)/(a+b-2).
//
// Special cases:
//
//	a ≤ 1 and b > 1, or a < 1 and b = 1: 0
//	a > 1 and b ≤ 1, or a = 1 and b < 1: 1
//	a = b = 1, where all are as probable, and a < 1 and b < 1, where both 0 and 1
//	are modes: NaN
func (b Beta) Mode() float64 {
	x, y := b.Params()
	switch {
	case x <= 1 && y > 1, x < 1 && y == 1:
		return 0
	case x > 1 && y <= 1, x == 1 && y < 1:
		return 1
	case x <= 1 && y <= 1:
		return math.NaN()
	}
	return (x - 1) / (x + y - 2)
}

// Predictive returns the probability that the next answer is yes, which is the Mean.
func (b Beta) Predictive() float64 { return b.Mean() }

// StdDev returns the square root of Variance, the standard error of Mean.
func (b Beta) StdDev() float64 { return math.Sqrt(b.Variance()) }

// Trials returns the distribution of the number of yes among the next m answers.
func (b Beta) Trials(m uint64) BetaBinomial {
	x, y := b.Params()
	return BetaBinomial{A: x, B: y, M: m}
}

// Variance returns ab/((a+b)²(a+b+1)).
func (b Beta) Variance() float64 {
	x, y := b.Params()
	n := x + y
	return x / n * (y / n) / (n + 1)
}
