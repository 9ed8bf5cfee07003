package conjugate

import "math"

// BetaBinomial is the distribution of the number k of yes among M answers whose
// probability has the distribution Beta(A, B),
//
//	p(k) = M!/(k!(M-k)!) B(A+k, B+M-k) / B(A, B), k = 0 … M
//
// with B(a, b) = Γ(a)Γ(b)/Γ(a+b) (Murphy 2012, section 3.3.4). A ≥ 0, B ≥ 0, not both 0;
// if they are, everything is NaN.
type BetaBinomial struct {
	A, B float64
	M    uint64
}

// LogProb returns the logarithm of p(k), -Inf for k > M.
func (d BetaBinomial) LogProb(k uint64) float64 {
	if k > d.M {
		return math.Inf(-1)
	}
	return Beta{A: d.A, B: d.B}.LogFuture(k, d.M-k) + logChoose(d.M, k)
}

// Mean returns MA/(A+B).
func (d BetaBinomial) Mean() float64 { return float64(d.M) * (d.A / (d.A + d.B)) }

// Prob returns p(k).
func (d BetaBinomial) Prob(k uint64) float64 { return math.Exp(d.LogProb(k)) }

// StdDev returns the square root of Variance.
func (d BetaBinomial) StdDev() float64 { return math.Sqrt(d.Variance()) }

// Variance returns MAB(A+B+M)/((A+B)²(A+B+1)).
func (d BetaBinomial) Variance() float64 {
	n, m := d.A+d.B, float64(d.M)
	return m * (d.A / n) * (d.B / n) * (n + m) / (n + 1)
}
