package conjugate

import (
	"math"
	"testing"
)

// The numbers of this file were computed with 40 digits by mpmath 1.2.1:
//
//	loggamma(a+n) - loggamma(a)
//	loggamma(x) - (x-.5)*log(x) + x - log(2*pi)/2
//	betainc(a, b, 0, x, regularized=True)
//
// and I_x(a, b) of large whole numbers as the sum of C(a+b-1, k) x^k (1-x)^(a+b-1-k)
// over k from a on.

// cdf is the inverse of Quantile.
func cdf(b Beta, theta float64) float64 {
	x, y := b.Params()
	return regularised(x, y, theta)
}

func TestLogRising(t *testing.T) {
	for _, test := range [][3]float64{
		{0.1, 1, -2.3025850929940456},
		{0.1, 3, -1.4653375684603434},
		{1.0e-10, 0.5, -22.453485987154386},
		{0.3, 17, 30.419826183357214},
		{2.5, 100, 370.38107412328567},
		{1.0e-5, 1000, 5893.7075725888374},
		{1e6, 0.5, 6.9077551539821371},
		{1e6, 40, 552.62120230830117},
		{1e12, 1000, 27631.021116428048},
		{7.25, 1e6, 12815597.679436362},
		{123.456, 789, 4834.8771295635871},
		{0.5, 0.5, -0.57236494292470009},
	} {
		check(t, "log rising", logRising(test[0], test[1]), test[2], 5e-15)
	}
	check(t, "nothing", logRising(0, 0), 0, 0)
	check(t, "from 0", logRising(0, 100), math.Inf(-1), 0)
	check(t, "C(10, 3)", logChoose(10, 3), math.Log(120), 1e-15)
}

func TestStirling(t *testing.T) {
	for _, test := range [][2]float64{
		{1e-8, 8.2914020272061609},
		{0.1, 0.51274008133191493},
		{1, 0.081061466795327258},
		{2.5, 0.033162873519936287},
		{9.99, 0.0083388967977343301},
		{10, 0.0083305634333628713},
		{1000, 8.3333330555556349e-5},
	} {
		check(t, "δ", stirling(test[0]), test[1], 1e-14)
	}
}

func TestCDFOfExtremes(t *testing.T) {
	for _, test := range [][4]float64{
		{0.1, 0.1, 1e-20, 0.005072372743896313},
		{0.5, 0.5, 0.3, 0.36901011956554538},
		{1e4, 2e4, 0.334, 0.59724642295333413},
		{1e5, 1e5, 0.499, 0.18554674455755675},
		{2, 1e6, 1e-6, 0.26424148553670979},
		{3e6, 1e6, 0.7504, 0.96769781438362814},
		{1e-3, 50, 1e-100, 0.79789352645675077},
	} {
		d := Beta{A: test[0], B: test[1]}
		check(t, "CDF", cdf(d, test[2]), test[3], 1e-12)
		if q := d.Quantile(test[3]); math.Abs(q/test[2]-1) > 1e-9 {
			t.Errorf("%v: quantile %v, want %v", d, q, test[2])
		}
	}
}

// Densities at the ends of their support, and everything that is not defined.
func TestSpecialCases(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range []struct {
		what      string
		got, want float64
	}{
		{"Beta(0,0)", Beta{}.Mean(), nan},
		{"Beta(0,0), future", Beta{}.LogFuture(1, 0), nan},
		{"Beta(0,0), quantile", Beta{}.Quantile(.5), nan},
		{"never yes, quantile", Beta{B: 2}.Quantile(.9), 0},
		{"never no, quantile", Beta{A: 2}.Quantile(.1), 1},
		{"never yes, no", Beta{B: 2}.LogFuture(0, 30), 0},
		{"never yes, yes", Beta{B: 2}.LogFuture(30, 0), -inf},
		{"mode Beta(½,1)", Beta{A: .5, B: 1}.Mode(), 0},
		{"mode Beta(1,½)", Beta{A: 1, B: .5}.Mode(), 1},
		{"mode Beta(1,2)", Beta{A: 1, B: 2}.Mode(), 0},
		{"mode Beta(2,1)", Beta{A: 2, B: 1}.Mode(), 1},
		{"mode Beta(1,1)", Beta{A: 1, B: 1}.Mode(), nan},
		{"mode Beta(½,½)", Beta{A: .5, B: .5}.Mode(), nan},
		{"quantile 0", Beta{A: 3, B: 3}.Quantile(0), 0},
		{"quantile 1", Beta{A: 3, B: 3}.Quantile(1), 1},
		{"more yes than trials", Beta{A: 1, B: 1}.LogTrials(4, 3), -inf},
		{"t of scale 0, there", StudentT{3, 0, 5}.LogProb(3), inf},
		{"t of scale 0, elsewhere", StudentT{3, 0, 5}.LogProb(4), -inf},
		{"t, far away", StudentT{0, 1, 1}.LogProb(1e200), -400*math.Ln10 - math.Log(math.Pi)},
		{"t, nothing", StudentT{nan, nan, nan}.LogProb(4), nan},
		{"NormalGamma without width", NormalGamma{Kappa: 1, A: 1}.Observe(0).LogFuture(1, 0, 0), nan},
		{"NormalGamma without width, next", NormalGamma{A: -.5}.Update(3, 2, 0).Predictive().LogProb(2), inf},
		{"Pareto, mean", Pareto{K: 1, B: 2}.Mean(), inf},
		{"Pareto, nothing to come", Pareto{K: 2, B: 2}.LogFuture(0, 0), 0},
		{"improper Pareto", Pareto{}.Update(4, 0).Mean(), nan},
	} {
		check(t, test.what, test.got, test.want, 1e-14)
	}
}

func TestMisuse(t *testing.T) {
	nan := math.NaN()
	for name, f := range map[string]func(){
		"Beta":             func() { Beta{A: -1, B: 1}.Mean() },
		"Beta NaN":         func() { Beta{A: nan, B: 1}.Mean() },
		"quantile":         func() { Beta{A: 1, B: 1}.Quantile(1.5) },
		"interval":         func() { Beta{A: 1, B: 1}.Interval(-1) },
		"NormalGamma":      func() { NormalGamma{A: -1}.Params() },
		"negative squares": func() { NormalGamma{}.Update(1, 0, -1) },
		"infinite mean":    func() { NormalGamma{}.Observe(math.Inf(1)) },
		"Pareto":           func() { Pareto{K: -1}.Params() },
		"negative":         func() { Pareto{}.Update(1, -1) },
		"Pareto quantile":  func() { Pareto{K: 1, B: 1}.Quantile(2) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if message, ok := recover().(string); !ok || message[:len("conjugate: ")] != "conjugate: " {
					t.Errorf("panicked with %q, want a message of conjugate", message)
				}
			}()
			f()
			t.Error("no panic")
		})
	}
}
