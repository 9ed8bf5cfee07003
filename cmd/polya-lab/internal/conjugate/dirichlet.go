package conjugate

import (
	"math"
	"slices"
)

// Dirichlet is a distribution of the probabilities θ of K types, which sum to 1: a prior
//
//	p(θ) = Γ(Σ Alpha_k) Π_k θ_k^(Alpha_k-1) / Γ(Alpha_k)
//
// and the observed counts of each type; the posterior is Dirichlet with
//
//	a_k = Alpha_k + Counts_k
//
// (Murphy 2012, section 3.4). Alpha_k ≥ 0, finite. Counts is as long as Alpha, or nil for
// no counts. If all a_k are 0, everything is NaN.
type Dirichlet struct {
	Alpha  []float64
	Counts []uint64
}

// Update returns the distribution after counts_k more of each type. It does not change
// the slices of d.
func (d Dirichlet) Update(counts []uint64) Dirichlet {
	if !(len(counts) == len(d.Alpha)) {
		misuse("Dirichlet of %d types: %d counts", len(d.Alpha), len(counts))
	}
	sums := slices.Clone(counts)
	for k, n := range d.Counts {
		sums[k] += n
	}
	return Dirichlet{Alpha: d.Alpha, Counts: sums}
}

// Params returns a_k of the posterior.
func (d Dirichlet) Params() []float64 {
	if !(d.Counts == nil || len(d.Counts) == len(d.Alpha)) {
		misuse("Dirichlet of %d types: %d counts", len(d.Alpha), len(d.Counts))
	}
	a := slices.Clone(d.Alpha)
	for k, alpha := range d.Alpha {
		if !(alpha >= 0 && isFinite(alpha)) {
			misuse("Dirichlet parameter %v: want 0 or more", alpha)
		}
		if d.Counts != nil {
			a[k] += float64(d.Counts[k])
		}
	}
	return a
}

// LogFuture returns the logarithm of the probability that the next data are a given
// sequence with these counts,
//
//	Γ(Σa)/Γ(Σa+Σn) Π_k Γ(a_k+n_k)/Γ(a_k)
//
// Trials gives the probability of the counts in any order.
func (d Dirichlet) LogFuture(counts []uint64) float64 {
	return logSequence(d.Params(), counts)
}

func logSequence(a []float64, counts []uint64) float64 {
	if !(len(counts) == len(a)) {
		misuse("Dirichlet of %d types: %d counts", len(a), len(counts))
	}
	sum, all, n := 0.0, 0.0, 0.0
	for k, count := range counts {
		sum += logRising(a[k], float64(count))
		all += a[k]
		n += float64(count)
	}
	return sum - logRising(all, n)
}

// LogMarginal returns the logarithm of the probability of the counted sequence, averaged
// over the prior: LogFuture from the prior.
func (d Dirichlet) LogMarginal() float64 {
	d.Params() // panics if they are wrong
	if d.Counts == nil {
		return 0
	}
	return logSequence(d.Alpha, d.Counts)
}

// LogMarginalCounts is LogMarginal for the counts in any order: greater by the logarithm
// of the number of orders.
func (d Dirichlet) LogMarginalCounts() float64 { return d.LogMarginal() + logMultinomial(d.Counts) }

// LogPredictive returns the logarithm of Predictive.
func (d Dirichlet) LogPredictive(k int) float64 { return math.Log(d.Predictive(k)) }

// Marginal returns the distribution of θ_k alone, Beta(a_k, Σa-a_k).
func (d Dirichlet) Marginal(k int) Beta {
	d.Params() // panics if they are wrong
	b := Beta{A: d.Alpha[k]}
	for i, alpha := range d.Alpha {
		if i != k {
			b.B += alpha
		}
	}
	for i, n := range d.Counts {
		if i == k {
			b.Yes = n
		} else {
			b.No += n
		}
	}
	return b
}

// Mean returns a_k/Σa for all k.
func (d Dirichlet) Mean() []float64 {
	a := d.Params()
	all := sumOf(a)
	for k := range a {
		a[k] /= all
	}
	return a
}

// Mode returns (a_k-1)/(Σa-K) for all k, and nil if some a_k is below 1 or all are 1:
// then the density has no maximum, or is constant.
func (d Dirichlet) Mode() []float64 {
	a := d.Params()
	all := sumOf(a) - float64(len(a))
	for k := range a {
		if a[k] < 1 || !(all > 0) {
			return nil
		}
		a[k] = (a[k] - 1) / all
	}
	return a
}

// Predictive returns the probability that the next datum is of type k, which is the
// Mean of θ_k.
func (d Dirichlet) Predictive(k int) float64 {
	a := d.Params()
	return a[k] / sumOf(a)
}

// StdDev returns the square roots of Variance.
func (d Dirichlet) StdDev() []float64 {
	v := d.Variance()
	for k := range v {
		v[k] = math.Sqrt(v[k])
	}
	return v
}

// Trials returns the distribution of the counts of each type among future data.
func (d Dirichlet) Trials() DirichletMultinomial { return DirichletMultinomial{Alpha: d.Params()} }

// Variance returns a_k(Σa-a_k)/((Σa)²(Σa+1)) for all k.
func (d Dirichlet) Variance() []float64 {
	a := d.Params()
	all := sumOf(a)
	for k := range a {
		a[k] = a[k] / all * ((all - a[k]) / all) / (all + 1)
	}
	return a
}

func sumOf(a []float64) float64 {
	sum := 0.0
	for _, x := range a {
		sum += x
	}
	return sum
}

// DirichletMultinomial is the distribution of the counts n of K types among M = Σ n_k
// data whose probabilities have the distribution Dirichlet(Alpha). With A = Σ Alpha_k
//
//	p(n | M) = M!/Π_k n_k! Γ(A)/Γ(A+M) Π_k Γ(Alpha_k+n_k)/Γ(Alpha_k)
//
// It is the Dirichlet compound multinomial, or multivariate Pólya distribution, of T.
// Minka, Estimating a Dirichlet distribution, 2000.
type DirichletMultinomial struct {
	Alpha []float64
}

// LogProb returns the logarithm of p(n | Σ n_k).
func (d DirichletMultinomial) LogProb(counts []uint64) float64 {
	return logSequence(Dirichlet{Alpha: d.Alpha}.Params(), counts) + logMultinomial(counts)
}

// Mean returns the mean counts among m data, m Alpha_k/A.
func (d DirichletMultinomial) Mean(m uint64) []float64 {
	mean := Dirichlet{Alpha: d.Alpha}.Mean()
	for k := range mean {
		mean[k] *= float64(m)
	}
	return mean
}

// Prob returns p(n | Σ n_k).
func (d DirichletMultinomial) Prob(counts []uint64) float64 { return math.Exp(d.LogProb(counts)) }

// Variance returns the variances of the counts among m data,
// m Alpha_k/A (1 - Alpha_k/A) (A+m)/(A+1).
func (d DirichletMultinomial) Variance(m uint64) []float64 {
	v := Dirichlet{Alpha: d.Alpha}.Variance()
	all := sumOf(d.Alpha)
	for k := range v {
		v[k] *= float64(m) * (all + float64(m))
	}
	return v
}
