package conjugate

import "math"

// NormalGamma is a distribution of the mean μ and the precision λ = 1/σ² of Gaussian
// numbers: a prior
//
//	p(μ, λ) = N(μ | Mu, 1/(Kappa λ)) Gamma(λ | A, B)
//
// with shape A and rate B, and the statistics of N observed numbers: their Mean and their
// sum of squared deviations from it, SS = Σ(x-Mean)². The posterior is NormalGamma with
//
//	μ_n = (Kappa Mu + N Mean) / (Kappa + N)
//	κ_n = Kappa + N
//	a_n = A + N/2
//	b_n = B + SS/2 + Kappa N (Mean - Mu)² / (2(Kappa + N))
//
// (Murphy 2007, section 3). Mu is finite, Kappa ≥ 0, A ≥ -½ and B ≥ 0, finite; SS ≥ 0.
//
// Special cases:
//
//	Kappa = 0, A = -½, B = 0: the reference prior; after two numbers the predictive
//	is Student's t with N-1 degrees of freedom at Mean
//	κ_n = 0 or a_n ≤ 0: the posterior is improper and everything is NaN
//	b_n = 0: all numbers were the same and the prior has no width; the predictive is
//	that one number
type NormalGamma struct {
	Mu, Kappa, A, B float64

	N        uint64
	Mean, SS float64
}

// Update returns the distribution after n more numbers with this mean and this sum of
// squared deviations from it. The first Update keeps both exactly; later ones round, by
// the formulas of T. Chan, G. Golub and R. LeVeque, Updating Formulae and a Pairwise
// Algorithm for Computing Sample Variances, 1979.
func (d NormalGamma) Update(n uint64, mean, ss float64) NormalGamma {
	if !(isFinite(mean) && isFinite(ss) && ss >= 0) {
		misuse("numbers of mean %v and squared deviations %v", mean, ss)
	}
	switch {
	case n == 0:
		return d
	case d.N == 0:
		d.N, d.Mean, d.SS = n, mean, ss
		return d
	}
	all := float64(d.N) + float64(n)
	apart := mean - d.Mean
	d.SS += ss + apart*apart*(float64(d.N)/all)*float64(n)
	d.Mean += apart * (float64(n) / all)
	d.N += n
	return d
}

// Observe returns the distribution after one more number.
func (d NormalGamma) Observe(x float64) NormalGamma { return d.Update(1, x, 0) }

// Params returns μ_n, κ_n, a_n and b_n of the posterior.
func (d NormalGamma) Params() (mu, kappa, a, b float64) {
	if !(isFinite(d.Mu) && d.Kappa >= 0 && d.A >= -0.5 && d.B >= 0 && isFinite(d.Kappa) && isFinite(d.A) && isFinite(d.B)) {
		misuse("NormalGamma(%v, %v, %v, %v): parameters out of range", d.Mu, d.Kappa, d.A, d.B)
	}
	if d.N == 0 {
		return d.Mu, d.Kappa, d.A, d.B
	}
	n := float64(d.N)
	kappa, a = d.Kappa+n, d.A+n/2
	apart := d.Mu - d.Mean
	mu = d.Mean + apart*(d.Kappa/kappa)
	b = d.B + d.SS/2 + apart*apart*(d.Kappa/kappa)*n/2
	return mu, kappa, a, b
}

// LogFuture returns the logarithm of the joint density of the next n numbers, given by
// their mean and their sum of squared deviations from it: with the posterior's parameters
// μ, κ, a, b, and κ', a', b' after these numbers,
//
//	Γ(a')/Γ(a) b^a/b'^a' √(κ/κ') (2π)^(-n/2)
//
// (Murphy 2007, section 3). NaN if b is 0.
func (d NormalGamma) LogFuture(n uint64, mean, ss float64) float64 {
	mu, kappa, a, b := d.Params()
	if !(kappa > 0 && a > 0 && b > 0) {
		return math.NaN()
	}
	_, after, _, width := NormalGamma{Mu: mu, Kappa: kappa, A: a, B: b}.Update(n, mean, ss).Params()
	half := float64(n) / 2
	return logRising(a, half) - a*math.Log1p((width-b)/b) - half*math.Log(2*math.Pi*width) + 0.5*math.Log(kappa/after)
}

// LogMarginal returns the logarithm of the joint density of the observed numbers,
// averaged over the prior: LogFuture from the prior. NaN if the prior is improper.
func (d NormalGamma) LogMarginal() float64 {
	return NormalGamma{Mu: d.Mu, Kappa: d.Kappa, A: d.A, B: d.B}.LogFuture(d.N, d.Mean, d.SS)
}

// Predictive returns the distribution of the next number: Student's t with 2a_n
// degrees of freedom at μ_n, of scale √(b_n(κ_n+1)/(a_n κ_n)).
func (d NormalGamma) Predictive() StudentT {
	mu, kappa, a, b := d.Params()
	if !(kappa > 0 && a > 0) {
		return StudentT{math.NaN(), math.NaN(), math.NaN()}
	}
	return StudentT{Mu: mu, Sigma: math.Sqrt(b * (kappa + 1) / a / kappa), Nu: 2 * a}
}
