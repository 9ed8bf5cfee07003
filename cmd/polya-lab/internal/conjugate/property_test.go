package conjugate

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

var positive = rapid.Float64Range(0.01, 20)

// permuted draws an order of n things.
func permuted(t *rapid.T, n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return rapid.Permutation(order).Draw(t, "order")
}

func TestBetaProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prior := Beta{A: positive.Draw(t, "a"), B: positive.Draw(t, "b")}
		answers := rapid.SliceOfN(rapid.Bool(), 0, 40).Draw(t, "answers")
		one, log, yes := prior, 0.0, uint64(0)
		for _, answer := range answers {
			if answer {
				log += math.Log(one.Mean())
				one = one.Update(1, 0)
				yes++
			} else {
				log += math.Log1p(-one.Mean())
				one = one.Update(0, 1)
			}
		}
		if all := prior.Update(yes, uint64(len(answers))-yes); one != all {
			t.Fatalf("one by one %+v, at once %+v", one, all)
		}
		if !close(one.LogMarginal(), log, 1e-12) {
			t.Fatalf("marginal %v, product of predictives %v", one.LogMarginal(), log)
		}
		m := rapid.Uint64Range(0, 50).Draw(t, "m")
		sum, mean := 0.0, 0.0
		for k := range m + 1 {
			p := math.Exp(one.LogTrials(k, m))
			sum += p
			mean += float64(k) * p
		}
		if want := float64(m) * one.Mean(); !close(sum, 1, 1e-12) || !close(mean, want, 1e-12) {
			t.Fatalf("%+v: sum %v, mean %v, want 1, %v", one, sum, mean, want)
		}
		if _, b := one.Params(); b < 1 {
			return // quantiles may be closer to 1 than numbers are
		}
		p := rapid.Float64Range(0.001, 0.999).Draw(t, "p")
		if got := cdf(one, one.Quantile(p)); !close(got, p, 1e-11) {
			t.Fatalf("%+v: CDF of quantile %v is %v", one, p, got)
		}
		low, high := one.Interval(p)
		if low < 0x1p-1000 {
			return // with A = 0.01 the end may be 1e-330, which is no float64
		}
		if got := cdf(one, high) - cdf(one, low); !close(got, p, 1e-11) {
			t.Fatalf("%+v: interval %v has %v", one, p, got)
		}
	})
}

func TestNormalGammaProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prior := NormalGamma{Mu: rapid.Float64Range(-5, 5).Draw(t, "mu"), Kappa: positive.Draw(t, "kappa"), A: positive.Draw(t, "a"), B: positive.Draw(t, "b")}
		// Whole numbers, whose sums are exact in any order.
		numbers := rapid.SliceOfN(rapid.IntRange(-1000, 1000), 1, 30).Draw(t, "numbers")
		one, log := prior, 0.0
		for _, x := range numbers {
			log += one.Predictive().LogProb(float64(x))
			one = one.Observe(float64(x))
		}
		all := prior.Update(summed(numbers))
		order := permuted(t, len(numbers))
		other := make([]int, len(numbers))
		for i, at := range order {
			other[i] = numbers[at]
		}
		if again := prior.Update(summed(other)); again != all {
			t.Fatalf("in another order %+v, want %+v", again, all)
		}
		for _, pair := range [][2]float64{{one.Mean, all.Mean}, {one.SS, all.SS}, {all.LogMarginal(), log}, {all.Predictive().LogProb(3), all.LogFuture(1, 3, 0)}} {
			if !close(pair[0], pair[1], 1e-10) {
				t.Fatalf("%v and %v: %+v", pair[0], pair[1], numbers)
			}
		}
		future := all.LogFuture(summed(numbers))
		if both := all.Update(summed(numbers)).LogMarginal(); !close(both, all.LogMarginal()+future, 1e-10) {
			t.Fatalf("both %v, one %v and the other %v", both, all.LogMarginal(), future)
		}
		next := all.Predictive()
		if sum := integral(next.Prob, next.Mu, next.Sigma); next.Nu > 3 && !close(sum, 1, 1e-6) {
			t.Fatalf("%+v: density sums to %v", next, sum)
		}
	})
}

// summed returns what Update takes, from exact sums.
func summed(numbers []int) (n uint64, mean, ss float64) {
	sum, squares := 0, 0
	for _, x := range numbers {
		sum += x
		squares += x * x
	}
	n = uint64(len(numbers))
	return n, float64(sum) / float64(n), float64(squares*int(n)-sum*sum) / float64(n)
}

// integral returns the integral of a density over all numbers, by Simpson's rule on x =
// at + width tan u.
func integral(f func(float64) float64, at, width float64) float64 {
	const steps = 2000
	g := func(i int) float64 {
		u := math.Pi * (float64(i)/steps - 0.5)
		c := math.Cos(u)
		if c < 1e-9 {
			return 0
		}
		return f(at+width*math.Tan(u)) * width / (c * c)
	}
	sum := 0.0
	for i := 0; i < steps; i += 2 {
		sum += g(i) + 4*g(i+1) + g(i+2)
	}
	return sum * math.Pi / steps / 3
}

func TestParetoProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prior := Pareto{K: positive.Draw(t, "k"), B: positive.Draw(t, "b")}
		numbers := rapid.SliceOfN(rapid.Float64Range(0, 50), 1, 30).Draw(t, "numbers")
		one, log := prior, 0.0
		for _, x := range numbers {
			log += math.Log(one.Predictive(x))
			one = one.Update(1, x)
		}
		all := prior.Update(uint64(len(numbers)), slices.Max(numbers))
		if one != all {
			t.Fatalf("one by one %+v, at once %+v", one, all)
		}
		if !close(all.LogMarginal(), log, 1e-12) {
			t.Fatalf("marginal %v, product of predictives %v", all.LogMarginal(), log)
		}
		// Up to b the density is flat; beyond, with x = b/u⁴, it is summed over u.
		_, b := all.Params()
		beyond := integralOf(func(u float64) float64 {
			if u == 0 {
				return 0
			}
			return all.Predictive(b/math.Pow(u, 4)) * 4 * b / math.Pow(u, 5)
		})
		if sum := b*all.Predictive(b/2) + beyond; !close(sum, 1, 1e-6) {
			t.Fatalf("%+v: density sums to %v", all, sum)
		}
		q := rapid.Float64Range(0, 0.99).Draw(t, "q")
		k, _ := all.Params()
		if got := 1 - math.Pow(b/all.Quantile(q), k); !close(got, q, 1e-12) {
			t.Fatalf("%+v: below quantile %v are %v", all, q, got)
		}
	})
}

// integralOf returns the integral of f from 0 to 1, by Simpson's rule.
func integralOf(f func(float64) float64) float64 {
	const steps = 4000
	sum := 0.0
	for i := 0; i < steps; i += 2 {
		sum += f(float64(i)/steps) + 4*f(float64(i+1)/steps) + f(float64(i+2)/steps)
	}
	return sum / steps / 3
}
