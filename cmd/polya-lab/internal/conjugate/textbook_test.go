package conjugate

import (
	"math"
	"testing"
)

// close reports whether got is want, up to tolerance times the greater of 1 and |want|.
func close(got, want, tolerance float64) bool {
	if got == want || math.IsNaN(got) && math.IsNaN(want) {
		return true
	}
	return math.Abs(got-want) <= tolerance*max(1, math.Abs(want))
}

func check(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !close(got, want, tolerance) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// Murphy 2012, figure 3.6: (a) a Beta(2,2) prior and 3 heads of 20 make Beta(5,19), (b)
// a Beta(5,2) prior and 11 heads of 24 make Beta(16,15).
func TestBetaOfMurphy(t *testing.T) {
	for _, test := range []struct {
		prior         Beta
		heads, tosses uint64
		a, b          float64
	}{
		{Beta{A: 2, B: 2}, 3, 20, 5, 19},
		{Beta{A: 5, B: 2}, 11, 24, 16, 15},
	} {
		after := test.prior.Update(test.heads, test.tosses-test.heads)
		if a, b := after.Params(); a != test.a || b != test.b {
			t.Errorf("%v and %d of %d: Beta(%v, %v), want Beta(%v, %v)", test.prior, test.heads, test.tosses, a, b, test.a, test.b)
		}
		check(t, "mean", after.Mean(), test.a/(test.a+test.b), 0)
		check(t, "mode", after.Mode(), (test.a-1)/(test.a+test.b-2), 0)
	}
}

// Murphy 2012, section 3.3.4.1: with a uniform prior the next answer is yes with
// (N1+1)/(N+2), Laplace's rule of succession; three tails in a row make heads 1/5 where
// maximum likelihood says 0.
func TestRuleOfSuccession(t *testing.T) {
	for n := range uint64(20) {
		for yes := range n + 1 {
			check(t, "succession", Beta{A: 1, B: 1}.Update(yes, n-yes).Mean(), float64(yes+1)/float64(n+2), 0)
		}
	}
	check(t, "heads after three tails", Beta{A: 1, B: 1}.Update(0, 3).Mean(), 1./5, 0)
	check(t, "by maximum likelihood", Beta{}.Update(0, 3).Mean(), 0, 0)
	check(t, "mode of the uniform prior", Beta{A: 1, B: 1}.Update(0, 3).Mode(), 0, 0)
}

// Murphy 2012, equation 3.35: with n = a + b, the mean of the number of heads in M more
// tosses is Ma/n and its variance Mab/n² (n+M)/(n+1). Figure 3.7 has M = 10 after
// Beta(2,2) and 3 heads of 20.
func TestBetaBinomialOfMurphy(t *testing.T) {
	d := Beta{A: 2, B: 2}.Update(3, 17)
	mean, square := 0.0, 0.0
	for k := range uint64(11) {
		p := math.Exp(d.LogTrials(k, 10))
		mean += float64(k) * p
		square += float64(k*k) * p
	}
	check(t, "mean", mean, 10*5./24, 1e-14)
	check(t, "variance", square-mean*mean, 10*5.*19/(24*24)*(24.+10)/(24+1), 1e-13)
}

// Murphy 2012, exercise 3.9: after one number m with the prior K = B = 0, the density of
// the next is 1/(2m) up to m and m/(2x²) beyond. Exercise 3.10 (the taxicab problem,
// after Minka) has m = 100: the posterior's median is 200, its mean infinite, its mode
// 100.
func TestParetoOfMurphy(t *testing.T) {
	p := Pareto{}.Update(1, 100)
	for _, x := range []float64{0, 1, 50, 100} {
		check(t, "density up to m", p.Predictive(x), 1./200, 1e-17)
	}
	for _, x := range []float64{101, 150, 1e4} {
		check(t, "density beyond", p.Predictive(x), 100/(2*x*x), 1e-17)
	}
	check(t, "median", p.Quantile(0.5), 200, 1e-15)
	check(t, "mean", p.Mean(), math.Inf(1), 0)
	check(t, "mode", p.Mode(), 100, 0)
	check(t, "below 0", p.Predictive(-1), 0, 0)
	check(t, "prior alone", Pareto{}.Predictive(1), math.NaN(), 0)
}

// Murphy 2007, section 3: with the reference prior the predictive after n numbers is
// Student's t with n-1 degrees of freedom at x̄, of scale s√(1+1/n). The numbers are 2, 4 and 9: x̄ = 5, s² = 13.
func TestReferencePrior(t *testing.T) {
	d := NormalGamma{A: -0.5}.Update(3, 5, 26)
	next := d.Predictive()
	check(t, "degrees of freedom", next.Nu, 2, 0)
	check(t, "place", next.Mu, 5, 0)
	check(t, "scale", next.Sigma, math.Sqrt(13*4./3), 1e-15)
	check(t, "prior alone", NormalGamma{A: -0.5}.Predictive().LogProb(0), math.NaN(), 0)
	check(t, "one number", NormalGamma{A: -0.5}.Observe(1).Predictive().LogProb(0), math.NaN(), 0)
}

// The posterior's parameters written out for the prior (1, 2, 3, 4) and the numbers 2, 4
// and 9 (Murphy 2007, equations 85 to 89).
func TestNormalGammaParams(t *testing.T) {
	mu, kappa, a, b := NormalGamma{Mu: 1, Kappa: 2, A: 3, B: 4}.Update(3, 5, 26).Params()
	check(t, "μ", mu, (2*1+3*5)/5., 1e-15)
	check(t, "κ", kappa, 5, 0)
	check(t, "a", a, 4.5, 0)
	check(t, "b", b, 4+13+2*3*16/(2*5.), 1e-15)
}
