package conjugate

import "testing"

// The tables of this file were printed by SciPy 1.10.1:
//
//	from scipy import stats
//	rs = lambda l: "{" + ", ".join(repr(float(v)) for v in l) + "},"
//	for a, b, m in (2, 5, 10), (.5, .5, 20), (5, 19, 10), (100.25, 3, 50):
//	    d = stats.betabinom(m, a, b)
//	    print(a, b, m, rs(d.logpmf(range(0, m+1, m//5))))
//	for a, b in (5, 19), (.5, .5), (1, 7), (250.5, 3):
//	    d = stats.beta(a, b)
//	    print(a, b, rs([d.mean(), d.var()]), rs(d.cdf([.05, .3, .9])), rs(d.ppf([.025, .5, .975])))
//	for nu, mu, s in (1, 0, 1), (2.5, -1, 3), (9, 4, .25), (1e6, 0, 2):
//	    print(mu, s, nu, rs(stats.t(nu, mu, s).logpdf([-7, 0, 1.5, 1e6])))
//	for k, b in (3, 2), (1.5, 100), (12, .25):
//	    d = stats.pareto(k, scale=b)
//	    print(k, b, rs([d.mean()]), rs(d.ppf([0, .5, .95])))

// tolerance is the tolerance of comparisons with SciPy, relative above 1.
const tolerance = 1e-12

func TestTrialsScipy(t *testing.T) {
	for _, test := range []struct {
		d    Beta
		m    uint64
		logs [6]float64
	}{
		{Beta{A: 2, B: 5}, 10, [6]float64{-2.0794415416798357, -1.6850262697582559, -2.031650877843487, -2.7937909298903842, -4.082921542556626, -6.590301048196686}},
		{Beta{A: 0.5, B: 0.5}, 20, [6]float64{-2.076480429147387, -3.2631527363947592, -3.452932515019092, -3.452932515019092, -3.2631527363947592, -2.076480429147387}},
		{Beta{A: 5, B: 19}, 10, [6]float64{-1.9534935206686637, -1.3736750254157215, -2.284850656623105, -4.098589032569935, -6.891797042012451, -11.43462409742641}},
		{Beta{A: 100.25, B: 3}, 50, [6]float64{-86.51333328203668, -55.53756982278054, -35.89586824121709, -20.722180839448423, -8.605407773723055, -1.2040780098200372}},
	} {
		for i, want := range test.logs {
			check(t, "log probability", test.d.LogTrials(uint64(i)*(test.m/5), test.m), want, tolerance)
		}
	}
}

func TestBetaScipy(t *testing.T) {
	for _, test := range []struct {
		d              Beta
		moments        [2]float64
		cdf, quantiles [3]float64
	}{
		{Beta{A: 5, B: 19}, [2]float64{0.20833333333333334, 0.006597222222222222}, [3]float64{0.004930342414473042, 0.8643970330405234, 0.9999999999999994}, [3]float64{0.07460340764880372, 0.2001472246398952, 0.38781188995479754}},
		{Beta{A: 0.5, B: 0.5}, [2]float64{0.5, 0.125}, [3]float64{0.14356629312870628, 0.36901011956554536, 0.7951672353008665}, [3]float64{0.001541333133436012, 0.4999999999999999, 0.9984586668665639}},
		{Beta{A: 1, B: 7}, [2]float64{0.125, 0.012152777777777778}, [3]float64{0.30166270390625, 0.9176457, 0.9999999}, [3]float64{0.0036102968619005833, 0.09427633573609333, 0.4096163972250034}},
		{Beta{A: 250.5, B: 3}, [2]float64{0.9881656804733728, 4.594997409810966e-05}, [3]float64{0.0, 1.6304965325115929e-127, 1.1764444998876642e-09}, [3]float64{0.9716818750477243, 0.9894237855821647, 0.9975430792956134}},
	} {
		check(t, "mean", test.d.Mean(), test.moments[0], tolerance)
		check(t, "variance", test.d.StdDev()*test.d.StdDev(), test.moments[1], tolerance)
		for i, theta := range []float64{.05, .3, .9} {
			check(t, "CDF", cdf(test.d, theta), test.cdf[i], tolerance)
		}
		for i, p := range []float64{.025, .5, .975} {
			check(t, "quantile", test.d.Quantile(p), test.quantiles[i], tolerance)
		}
	}
}

func TestStudentTScipy(t *testing.T) {
	for _, test := range []struct {
		d    StudentT
		logs [4]float64
	}{
		{StudentT{0, 1, 1}, [4]float64{-5.0567528912775455, -1.1447298858494, -2.323384882191046, -28.775751001778946}},
		{StudentT{-1, 3, 2.5}, [4]float64{-3.787396910926573, -2.1913508280231024, -2.544216183686283, -45.02089054392299}},
		{StudentT{4, 0.25, 9}, [4]float64{-26.43932900454905, -16.47289185421743, -12.030982135432037, -140.59225191505078}},
		{StudentT{0, 2, 1e6}, [4]float64{-7.737054572991809, -1.6120859633799878, -1.8933361654844214, -6214617.925114254}},
	} {
		for i, x := range []float64{-7, 0, 1.5, 1e6} {
			// With 1e6 degrees of freedom SciPy subtracts logarithms of Gamma functions,
			// which leaves 1e-10.
			within := tolerance
			if test.d.Nu == 1e6 {
				within = 1e-9
			}
			check(t, "log density", test.d.LogProb(x), test.logs[i], within)
		}
	}
}

func TestParetoScipy(t *testing.T) {
	for _, test := range []struct {
		d         Pareto
		mean      float64
		quantiles [3]float64
	}{
		{Pareto{K: 3, B: 2}, 3.0, [3]float64{2.0, 2.5198420997897464, 5.428835233189811}},
		{Pareto{K: 12, B: .25}, 0.2727272727272727, [3]float64{0.25, 0.26486577358982377, 0.320892210528129}},
	} {
		check(t, "mean", test.d.Mean(), test.mean, tolerance)
		for i, q := range []float64{0, .5, .95} {
			check(t, "quantile", test.d.Quantile(q), test.quantiles[i], tolerance)
		}
	}
}
