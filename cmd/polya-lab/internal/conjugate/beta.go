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
// LogTrials gives the probability of the counts in any order.
func (b Beta) LogFuture(yes, no uint64) float64 {
	x, y := b.Params()
	return logRising(x, float64(yes)) + logRising(y, float64(no)) - logRising(x+y, float64(yes)+float64(no))
}

// LogMarginal returns the logarithm of the probability of the counted sequence, averaged
// over the prior: LogFuture from the prior.
func (b Beta) LogMarginal() float64 { return Beta{A: b.A, B: b.B}.LogFuture(b.Yes, b.No) }

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

// StdDev returns the standard error of Mean, the root of ab/((a+b)²(a+b+1)).
func (b Beta) StdDev() float64 {
	x, y := b.Params()
	n := x + y
	return math.Sqrt(x / n * (y / n) / (n + 1))
}

// LogTrials returns the logarithm of the probability of k yes among the next m answers,
// the beta-binomial distribution (Murphy 2012, section 3.3.4). -Inf for k > m.
func (b Beta) LogTrials(k, m uint64) float64 {
	if k > m {
		return math.Inf(-1)
	}
	return b.LogFuture(k, m-k) + logChoose(m, k)
}
