package conjugate

import "math"

// Binomial is the distribution of the number k of yes among M answers, each of which is
// yes with probability P,
//
//	p(k) = M!/(k!(M-k)!) P^k (1-P)^(M-k), k = 0 … M
//
// 0 ≤ P ≤ 1; if P is NaN, everything is.
type Binomial struct {
	P float64
	M uint64
}

// LogProb returns the logarithm of p(k), -Inf for k > M.
func (d Binomial) LogProb(k uint64) float64 {
	if k > d.M {
		return math.Inf(-1)
	}
	return times(k, math.Log(d.P)) + times(d.M-k, math.Log1p(-d.P)) + logChoose(d.M, k)
}

// Mean returns MP.
func (d Binomial) Mean() float64 { return float64(d.M) * d.P }

// Prob returns p(k).
func (d Binomial) Prob(k uint64) float64 { return math.Exp(d.LogProb(k)) }

// StdDev returns the square root of Variance.
func (d Binomial) StdDev() float64 { return math.Sqrt(d.Variance()) }

// Variance returns MP(1-P).
func (d Binomial) Variance() float64 { return float64(d.M) * d.P * (1 - d.P) }

// Multinomial is the distribution of the counts n of K types among M = Σ n_k data, each
// of which is of type k with probability Theta_k,
//
//	p(n | M) = M!/Π_k n_k! Π_k Theta_k^n_k
//
// Theta_k ≥ 0, and they sum to 1.
type Multinomial struct {
	Theta []float64
}

// LogProb returns the logarithm of p(n | Σ n_k). It is -Inf if a type of probability 0
// occurs, as with a plug-in estimate and a new type.
func (d Multinomial) LogProb(counts []uint64) float64 {
	if !(len(counts) == len(d.Theta)) {
		misuse("Multinomial of %d types: %d counts", len(d.Theta), len(counts))
	}
	sum := 0.0
	for k, n := range counts {
		sum += times(n, math.Log(d.Theta[k]))
	}
	return sum + logMultinomial(counts)
}

// Prob returns p(n | Σ n_k).
func (d Multinomial) Prob(counts []uint64) float64 { return math.Exp(d.LogProb(counts)) }

// times returns n·log; for n = 0 that is 0 unless log is NaN.
func times(n uint64, log float64) float64 {
	if n == 0 && !math.IsNaN(log) {
		return 0
	}
	return float64(n) * log
}

// PlugIn returns the distribution of the number of yes among m more answers as if θ were
// known to be its Mode: the plug-in approximation of Trials, which is overconfident
// (Murphy 2012, section 3.3.4.1). Under the uniform prior it considers a yes impossible
// after any number of no alone.
func (b Beta) PlugIn(m uint64) Binomial { return Binomial{P: b.Mode(), M: m} }

// PlugIn returns the distribution of the counts of future data as if θ were known to be
// its Mode: the plug-in approximation of Trials, which is overconfident (Murphy 2012,
// section 3.4.4). ok is false if there is no Mode.
func (d Dirichlet) PlugIn() (m Multinomial, ok bool) {
	mode := d.Mode()
	return Multinomial{Theta: mode}, mode != nil
}

// Covariance returns the covariances of the posterior, row by row:
//
//	Cov(θ_i, θ_j) = -a_i a_j / ((Σa)² (Σa+1)),  i ≠ j
//
// and Variance on the diagonal. Rows and columns sum to 0, as the probabilities sum
// to 1. It takes K² numbers.
func (d Dirichlet) Covariance() [][]float64 {
	a, variance := d.Params(), d.Variance()
	all := sumOf(a)
	rows := make([][]float64, len(a))
	for i := range rows {
		rows[i] = make([]float64, len(a))
		for j := range rows[i] {
			if i == j {
				rows[i][j] = variance[i]
			} else {
				rows[i][j] = -(a[i] / all) * (a[j] / all) / (all + 1)
			}
		}
	}
	return rows
}
