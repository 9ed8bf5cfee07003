package conjugate

import (
	"math"
	"testing"
)

// Murphy 2012, figure 3.6: the prior Beta(2, 2), 3 yes and 17 no, and the next 10. The
// numbers were printed by SciPy 1.10.1:
//
//	[binom.pmf(k, 10, 4/22) for k in (0, 2, 10)], [betabinom.pmf(k, 10, 5, 19) for k in (0, 2, 10)]
func TestPlugInOfBeta(t *testing.T) {
	belief := Beta{A: 2, B: 2}.Update(3, 17)
	plugin, trials := belief.PlugIn(10), belief.Trials(10)
	for k, want := range map[uint64][2]float64{
		0:  {.13443063274931186, .14177790137189453},
		2:  {.2987347394429153, .2531748238783831},
		10: {3.9479632837584065e-08, 1.0814485230503012e-05},
	} {
		check(t, "plug-in", plugin.Prob(k), want[0], 1e-14)
		check(t, "predictive", trials.Prob(k), want[1], 1e-13)
	}
	check(t, "mean", plugin.Mean(), 40./22, 1e-15)
	check(t, "standard deviation", plugin.StdDev(), math.Sqrt(10*4./22*18/22), 1e-15)
	if plugin.Variance() >= trials.Variance() {
		t.Errorf("the plug-in has the variance %v, the predictive %v", plugin.Variance(), trials.Variance())
	}
	// The black swan: what never came is impossible to the plug-in.
	never := Beta{A: 1, B: 1}.Update(0, 5).PlugIn(3)
	check(t, "never", never.LogProb(1), math.Inf(-1), 0)
	check(t, "as before", never.LogProb(0), 0, 0)
	check(t, "more than all", never.LogProb(4), math.Inf(-1), 0)
	check(t, "no mode", Beta{A: 1, B: 1}.PlugIn(3).LogProb(0), math.NaN(), 0)
}

// SciPy 1.10.1: multinomial.logpmf([3, 1, 2], 6, [.5, .125, .375]).
func TestPlugInOfDirichlet(t *testing.T) {
	d := Dirichlet{Alpha: []float64{2, 1.5, 1}}.Update([]uint64{3, 1, 3})
	m, ok := d.PlugIn()
	if !ok {
		t.Fatal("no mode")
	}
	for k, theta := range []float64{4 / 8.5, 1.5 / 8.5, 3 / 8.5} {
		check(t, "θ", m.Theta[k], theta, 1e-15)
	}
	check(t, "SciPy's", Multinomial{Theta: []float64{.5, .125, .375}}.LogProb([]uint64{3, 1, 2}), -2.02619703, 1e-8)
	two := Multinomial{Theta: []float64{.3, .7}}
	check(t, "of two", two.LogProb([]uint64{4, 6}), Binomial{P: .3, M: 10}.LogProb(4), 1e-14)
	check(t, "never", Multinomial{Theta: []float64{0, 1}}.LogProb([]uint64{1, 1}), math.Inf(-1), 0)
	check(t, "of one", Multinomial{Theta: []float64{0, 1}}.Prob([]uint64{0, 4}), 1, 0)
	if _, ok := (Dirichlet{Alpha: []float64{.5, 2}}).PlugIn(); ok {
		t.Error("a plug-in without a mode")
	}
}

// Unequal parameters: covariances and the log evidence of a sequence, by integration over
// the triangle of θ (SciPy 1.10.1's dblquad of θ_i θ_j p(θ), and of Π θ_k^n_k p(θ)).
func TestDirichletByIntegration(t *testing.T) {
	d := Dirichlet{Alpha: []float64{2.5, 1.5, 4}}
	cov := d.Covariance()
	for _, want := range []struct {
		i, j int
		cov  float64
	}{{0, 1, -.006510416666667858}, {0, 2, -.01736111111111094}, {1, 2, -.010416666666666699}, {0, 0, .023871527777779414}} {
		check(t, "covariance", cov[want.i][want.j], want.cov, 1e-12)
		check(t, "symmetry", cov[want.j][want.i], cov[want.i][want.j], 0)
	}
	for _, row := range cov {
		if sum := sumOf(row); math.Abs(sum) > 1e-16 {
			t.Errorf("a row sums to %v", sum)
		}
	}
	check(t, "log evidence", d.Update([]uint64{3, 1, 2}).LogMarginal(), -6.952674013250087, 1e-10)
}
