package conjugate

import "math"

// Pareto is a distribution of the upper end θ of numbers that are uniform from 0 to θ: a
// prior with shape K and scale B
//
//	p(θ) = K B^K θ^(-K-1), θ ≥ B
//
// and the number N and the maximum Max of the observed numbers; the posterior is Pareto
// with
//
//	k = K + N,  b = max(B, Max)
//
// (DeGroot 1970, chapter 9; Murphy 2012, exercise 3.9). K ≥ 0 and B ≥ 0, finite. With K =
// B = 0 the prior is uninformative.
//
// Special cases:
//
//	k = 0 or b = 0: the posterior is improper and everything is NaN
type Pareto struct {
	K, B float64

	N   uint64
	Max float64
}

// Update returns the distribution after n more numbers with maximum max ≥ 0.
func (p Pareto) Update(n uint64, max float64) Pareto {
	if n == 0 {
		return p
	}
	if !(max >= 0 && isFinite(max)) {
		misuse("greatest number %v of a uniform: want 0 or more", max)
	}
	p.N += n
	p.Max = math.Max(p.Max, max)
	return p
}

// Params returns k and b of the posterior.
func (p Pareto) Params() (k, b float64) {
	if !(p.K >= 0 && p.B >= 0 && isFinite(p.K) && isFinite(p.B)) {
		misuse("Pareto(%v, %v): want parameters of 0 or more", p.K, p.B)
	}
	return p.K + float64(p.N), math.Max(p.B, p.Max)
}

// params is Params, with NaN for an improper posterior.
func (p Pareto) params() (k, b float64) {
	k, b = p.Params()
	if k == 0 || b == 0 {
		return math.NaN(), math.NaN()
	}
	return k, b
}

// LogFuture returns the logarithm of the joint density of the next n numbers, with
// maximum max: with m = max(b, max),
//
//	k/(k+n) b^k / m^(k+n)
//
// It is -Inf for max < 0.
func (p Pareto) LogFuture(n uint64, max float64) float64 {
	k, b := p.params()
	switch {
	case n == 0:
		return 0 * k // NaN if k is
	case max < 0:
		return math.Inf(-1)
	}
	m := math.Max(b, max)
	return -math.Log1p(float64(n)/k) - float64(n)*math.Log(m) - k*math.Log(m/b)
}

// LogMarginal returns the logarithm of the joint density of the observed numbers,
// averaged over the prior: LogFuture from the prior. NaN if the prior is improper.
func (p Pareto) LogMarginal() float64 { return Pareto{K: p.K, B: p.B}.LogFuture(p.N, p.Max) }

// Mean returns kb/(k-1), +Inf for k ≤ 1.
func (p Pareto) Mean() float64 {
	k, b := p.params()
	if k <= 1 {
		return math.Inf(1)
	}
	return b * (k / (k - 1))
}

// Mode returns b.
func (p Pareto) Mode() float64 {
	_, b := p.params()
	return b
}

// Predictive returns the density of the next number at x: k/((k+1)b) from 0 to b,
// k b^k/((k+1)x^(k+1)) beyond, 0 below 0. After a single number m with K = B = 0 that is
// 1/(2m) up to m and m/(2x²) beyond.
func (p Pareto) Predictive(x float64) float64 {
	k, b := p.params()
	if x < 0 {
		return 0 * k // NaN if k is
	}
	m := math.Max(b, x)
	return k / (k + 1) / m * math.Pow(b/m, k)
}

// Quantile returns the θ with posterior probability q below it, b (1-q)^(-1/k). q is 0 to
// 1.
func (p Pareto) Quantile(q float64) float64 {
	if !(q >= 0 && q <= 1) {
		misuse("quantile %v: want 0 to 1", q)
	}
	k, b := p.params()
	return b * math.Exp(-math.Log1p(-q)/k)
}
