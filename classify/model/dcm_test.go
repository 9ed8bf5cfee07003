package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store/count"
)

func TestDCMD(t *testing.T) {
	t.Parallel()
	lengths := []count.Pair{{N: 0, Count: 4}, {N: 1, Count: 2}, {N: 3, Count: 7}, {N: 90, Count: 1}, {N: 1200, Count: 3}}
	for _, a := range []float64{1e-3, 1, 500, 1e9} {
		want := 0.0
		for m := 1199; m >= 0; m-- { // the small ones first
			longer := 0.0
			for _, l := range lengths {
				if l.N > uint64(m) {
					longer += float64(l.Count)
				}
			}
			want += longer / (a + float64(m))
		}
		want += 2.5 / a
		if got := dcmD(lengths, 2.5, a); !near(got/want, 1, 1e-14) {
			t.Errorf("d(%v) = %v, want %v", a, got, want)
		}
	}
	if got := dcmD(nil, 0, 500); got != 0 {
		t.Errorf("d of nothing = %v", got)
	}
}

// TestDCMAlpha compares dcmNewton with bisection, for counts from one
// document to millions and d from very small to very great.
func TestDCMAlpha(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		u := make([]uint32, rng.IntN(1+rng.IntN(255)))
		top := uint32(math.Exp(rng.Float64() * 20))
		for j := range u {
			u[j] = top
			top -= uint32(float64(top-1) * math.Pow(rng.Float64(), 3))
		}
		epsilon := math.Exp(-12 + 12*rng.Float64())
		d := math.Exp(-25 + 45*rng.Float64())
		got, want := dcmAlpha(u, epsilon, d), bisectAlpha(u, epsilon, d)
		if !near(got/want, 1, 1e-12) {
			t.Fatalf("U = %v, ε = %v, d = %v: %v, want %v", u, epsilon, d, got, want)
		}
	}
}

// alphas returns the α of all terms in class c and their sum.
func alphas(k *counts, c int, epsilon, d float64) (alpha map[string]float64, a float64) {
	alpha = map[string]float64{}
	for _, t := range k.terms {
		alpha[t] = dcmAlpha(k.cell(c, t).U, epsilon, d)
		a += alpha[t]
	}
	return alpha, a
}

// logLikelihood returns the log likelihood of the documents and pseudo-documents of class
// c, up to a constant, from the counts U and the lengths:
//
//	Σ_t [Σ_j U_tj log(α_t+j) + ε log α_t] - Σ_m L_m log(A+m) - εV log A
func logLikelihood(k *counts, c int, alpha map[string]float64, epsilon float64) float64 {
	var score, a float64
	for _, t := range k.terms {
		a += alpha[t]
		score += epsilon * math.Log(alpha[t])
		for j, u := range k.cell(c, t).U {
			score += float64(u) * math.Log(alpha[t]+float64(j))
		}
	}
	for _, l := range k.classes[c].Lengths {
		score -= float64(l.Count) * numeric.LogRising(a, int(l.N))
	}
	return score - epsilon*float64(len(k.terms))*math.Log(a)
}

// TestDCMLikelihood holds that the counts are all that the likelihood needs:
// it equals the sum over the documents, token by token.
func TestDCMLikelihood(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 8))
	k := randomCounts(rng, 30, 100)
	for c := range k.classes {
		alpha, a := map[string]float64{}, 0.0
		for _, term := range k.terms {
			alpha[term] = math.Exp(4 * rng.NormFloat64())
		}
		for _, term := range k.terms {
			a += alpha[term]
		}
		var want float64
		for _, d := range k.docs {
			if d.class != c {
				continue
			}
			n := 0.0
			for term, x := range d.terms {
				for j := range x {
					want += math.Log(alpha[term]+float64(j)) - math.Log(a+n)
					n++
				}
			}
		}
		if got := logLikelihood(k, c, alpha, 0); !near(got, want, 1e-12) {
			t.Errorf("class %d: %v, want %v", c, got, want)
		}
	}
}

// gradient returns the derivative of logLikelihood by α of the term.
func gradient(k *counts, c int, alpha map[string]float64, epsilon float64, term string) float64 {
	var a float64
	for _, t := range k.terms {
		a += alpha[t]
	}
	g := epsilon/alpha[term] - dcmD(k.classes[c].Lengths, epsilon*float64(len(k.terms)), a)
	for j, u := range k.cell(c, term).U {
		g += float64(u) / (alpha[term] + float64(j))
	}
	return g
}

func TestDCMGradient(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(9, 10))
	k := randomCounts(rng, 12, 60)
	alpha := map[string]float64{}
	for _, term := range k.terms {
		alpha[term] = math.Exp(rng.NormFloat64())
	}
	for _, term := range k.terms {
		at, h := alpha[term], 1e-5*alpha[term]
		alpha[term] = at + h
		above := logLikelihood(k, 0, alpha, .1)
		alpha[term] = at - h
		below := logLikelihood(k, 0, alpha, .1)
		alpha[term] = at
		if got, want := gradient(k, 0, alpha, .1, term), (above-below)/(2*h); !near(got, want, 1e-6) {
			t.Errorf("%s: %v, want %v", term, got, want)
		}
	}
}

// TestDCMInfinitePrecision holds that A = +Inf is the limit of large A, and the
// multinomial.
func TestDCMInfinitePrecision(t *testing.T) {
	t.Parallel()
	k := randomCounts(rand.New(rand.NewPCG(11, 12)), 30, 100)
	d := doc(0, "t00001 t00001 t00001 t00002 t00007 t00007 t00011")
	dcm := func(a float64) []float64 {
		fits := []float64{a, a, a}
		return k.scores(DCM{Epsilon: .25, Fits: fits}, d)
	}
	limit, want := dcm(inf), k.scores(Multinomial{Alpha: .25}, d)
	for c := range want {
		if !near(limit[c], want[c], 1e-13) {
			t.Errorf("class %d: %v, multinomial %v", c, limit[c], want[c])
		}
		for _, a := range []float64{1e6, 1e9, 1e12} {
			if got := dcm(a)[c]; !near(got, want[c], 3e3/a+1e-12) {
				t.Errorf("class %d, A = %v: %v, multinomial %v", c, a, got, want[c])
			}
		}
	}
}

// TestDCMSharedPrecision lists the A of classes without a usable fit.
func TestDCMSharedPrecision(t *testing.T) {
	t.Parallel()
	classes := []*count.Class{{Docs: 100}, {Docs: 300}, {Docs: 9}, {Docs: 50}}
	for _, test := range []struct {
		fits []float64
		want float64
	}{
		{nil, defaultDCMPrecision},
		{[]float64{0, 0}, defaultDCMPrecision},
		{[]float64{math.NaN(), -1}, defaultDCMPrecision},
		{[]float64{0, 0, 20}, defaultDCMPrecision},
		{[]float64{inf}, inf},
		{[]float64{200}, 200},
		{[]float64{200, inf}, 200},
		{[]float64{16, 81}, 54}, // 16^¼ 81^¾
	} {
		if got := sharedPrecision(test.fits, Totals{Classes: classes}); !near(got, test.want, 1e-14) {
			t.Errorf("%v: %v, want %v", test.fits, got, test.want)
		}
	}
}

// TestDCMAgesSlowly holds that the α go on summing to about A when the class
// and the vocabulary have doubled since the fit.
func TestDCMAgesSlowly(t *testing.T) {
	t.Parallel()
	small := randomCounts(rand.New(rand.NewPCG(13, 14)), 200, 300)
	large := randomCounts(rand.New(rand.NewPCG(13, 14)), 200, 600)
	fits := small.fit(.01)
	scorer := DCM{Epsilon: .01, Fits: fits}.Prepare(large.totals()).(*summed).contributor.(*dcmScorer)
	for c := range 2 {
		_, a := alphas(large, c, .01, scorer.classes[c].d)
		if !near(a/fits[c], 1, .05) {
			t.Errorf("class %d: Σα = %v, A = %v", c, a, fits[c])
		}
		if large.classes[c].Docs < 2*small.classes[c].Docs {
			t.Errorf("class %d has not doubled", c)
		}
	}
}
