package conjugate

import (
	"math"
	"testing"
)

// The probabilities were computed in rational numbers:
//
//	from fractions import Fraction as F
//	from math import factorial
//	def rf(a, n):
//	    p = F(1)
//	    for j in range(n): p *= a + j
//	    return p
//	def dm(alpha, n):
//	    p = F(factorial(sum(n))) / rf(sum(alpha), sum(n))
//	    for a, k in zip(alpha, n): p *= rf(a, k) / factorial(k)
//	    return p
//	dm([F(1)]*3, [2, 0, 1]), dm([F(1, 2), F(3, 2), F(2)], [3, 1, 2]), …
func TestDirichletMultinomial(t *testing.T) {
	for _, test := range []struct {
		alpha  []float64
		counts []uint64
		want   float64
	}{
		{[]float64{1, 1, 1}, []uint64{2, 0, 1}, 1. / 10},
		{[]float64{.5, 1.5, 2}, []uint64{3, 1, 2}, 15. / 896},
		{[]float64{.125, .125, .125, .125, .125, .125}, []uint64{5, 0, 0, 1, 0, 2}, 255. / 433504},
		{[]float64{2, 3}, []uint64{20, 15}, 952. / 27417},
	} {
		check(t, "log probability", DirichletMultinomial{test.alpha}.LogProb(test.counts), math.Log(test.want), 1e-14)
		check(t, "of the counts", Dirichlet{Alpha: test.alpha}.Update(test.counts).LogMarginalCounts(), math.Log(test.want), 1e-14)
	}
	s := Symmetric{.125, 6}
	check(t, "symmetric", s.LogMarginalCounts([]uint64{5, 0, 0, 1, 0, 2}), math.Log(255./433504), 1e-14)
	types := map[uint64]uint64{5: 1, 0: 3, 1: 1, 2: 1}
	check(t, "by counts", s.LogMarginalOf(types), s.LogMarginal([]uint64{5, 0, 0, 1, 0, 2}), 1e-14)
	delete(types, 0)
	check(t, "by counts, without zeros", s.LogMarginalOf(types), s.LogMarginal([]uint64{5, 0, 0, 1, 0, 2}), 1e-14)
	check(t, "without last zeros", s.LogMarginalCounts([]uint64{5, 1, 2}), math.Log(255./433504), 1e-14)
}

// With two types the Dirichlet is the Beta.
func TestDirichletOfTwo(t *testing.T) {
	two := Dirichlet{Alpha: []float64{2, 5}}.Update([]uint64{3, 1})
	one := Beta{A: 2, B: 5}.Update(3, 1)
	if two.Marginal(0) != one {
		t.Errorf("marginal %+v, want %+v", two.Marginal(0), one)
	}
	check(t, "mean", two.Mean()[0], one.Mean(), 1e-15)
	check(t, "mode", two.Mode()[0], one.Mode(), 1e-15)
	check(t, "variance", two.Variance()[1], one.Variance(), 1e-15)
	check(t, "standard deviation", two.StdDev()[1], one.StdDev(), 1e-15)
	check(t, "predictive", two.LogPredictive(0), one.LogPredictive(), 1e-15)
	check(t, "future", two.LogFuture([]uint64{4, 30}), one.LogFuture(4, 30), 1e-15)
	check(t, "marginal", two.LogMarginal(), one.LogMarginal(), 1e-15)
	check(t, "marginal of the counts", two.LogMarginalCounts(), one.LogMarginalCounts(), 1e-14)
	check(t, "trials", two.Trials().LogProb([]uint64{4, 6}), one.Trials(10).LogProb(4), 1e-14)
	check(t, "mean of trials", two.Trials().Mean(10)[0], one.Trials(10).Mean(), 1e-15)
	check(t, "variance of trials", two.Trials().Variance(10)[0], one.Trials(10).Variance(), 1e-15)
	check(t, "nothing counted", Dirichlet{Alpha: []float64{2, 5}}.LogMarginal(), 0, 0)
}

// The symmetric form says what the listed one does.
func TestSymmetric(t *testing.T) {
	s := Symmetric{1.25, 4}
	counts := []uint64{7, 0, 2, 1}
	d := s.Dirichlet().Update(counts)
	for k, n := range counts {
		if s.Marginal(n, 10) != d.Marginal(k) {
			t.Errorf("marginal %+v, want %+v", s.Marginal(n, 10), d.Marginal(k))
		}
		check(t, "mean", s.Mean(n, 10), d.Mean()[k], 1e-15)
		check(t, "mode", s.Mode(n, 10), d.Mode()[k], 1e-15)
		check(t, "variance", s.Variance(n, 10), d.Variance()[k], 1e-15)
		check(t, "standard deviation", s.StdDev(n, 10), d.StdDev()[k], 1e-15)
		check(t, "predictive", s.LogPredictive(n, 10), d.LogPredictive(k), 1e-15)
	}
	check(t, "future", s.LogFuture(counts, []uint64{0, 3, 20}), d.LogFuture([]uint64{0, 3, 20, 0}), 1e-15)
	check(t, "marginal", s.LogMarginal(counts), d.LogMarginal(), 1e-15)
}
