package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// TestThetasSumToOne holds that the probabilities of all terms sum to 1 for every
// Count and Smoothing: that the totals N_c, which come from the class alone, are
// those of the terms.
func TestThetasSumToOne(t *testing.T) {
	t.Parallel()
	k := randomCounts(rand.New(rand.NewPCG(21, 22)), 30, 80)
	bg := bruteBackground(k)
	for _, model := range models(k) {
		m, ok := model.(Multinomial)
		if !ok {
			continue
		}
		sums := make([]float64, len(k.classes))
		for _, term := range k.terms {
			share := 1. // a score over a background is less log bg
			if !m.Smoothing.additive() {
				share = bg[term]
			}
			for c, score := range k.scores(m, doc(0, term)) {
				sums[c] += share * math.Exp(score/counted(m.Count, 1, false))
			}
		}
		for c, sum := range sums {
			if !near(sum, 1, 1e-12) {
				t.Errorf("%s, class %d: %v", m.Name(), c, sum)
			}
		}
	}
}

// TestBackgroundLimits holds that all classes are equal where they give way to
// the background altogether, and that the methods meet where they should.
func TestBackgroundLimits(t *testing.T) {
	t.Parallel()
	k := randomCounts(rand.New(rand.NewPCG(23, 24)), 30, 80)
	d := doc(0, "t00001 t00001 t00001 t00002 t00007 t00007 t00011")
	almost := math.Nextafter(1, 0)
	for _, m := range []EventModel{
		Multinomial{Smoothing: JelinekMercer(almost)}, Multinomial{Count: Binary, Smoothing: JelinekMercer(almost)},
		Multinomial{Count: LogCounts, Smoothing: JelinekMercer(almost)}, Normalised{Lambda: almost},
	} {
		for c, score := range k.scores(m, d) {
			if math.Abs(score) > 1e-13 {
				t.Errorf("%s, class %d: %v, want 0", m.Name(), c, score)
			}
		}
	}
	for c, score := range k.scores(Multinomial{Smoothing: Dirichlet(maxAmount)}, d) {
		if math.Abs(score) > 1e-4 {
			t.Errorf("μ → ∞, class %d: %v, want 0", c, score)
		}
	}
	scores := k.scores(Multinomial{Smoothing: Additive(maxAmount)}, d)
	for c, score := range scores {
		if want := -float64(d.tokens()) * math.Log(float64(len(k.terms))); !near(score, want, 1e-5) {
			t.Errorf("α → ∞, class %d: %v, want %v", c, score, want)
		}
	}
	v := float64(len(k.terms))
	scores = k.scores(Multinomial{Smoothing: MEstimate(v / 4)}, d)
	for c, want := range k.scores(Multinomial{Smoothing: Additive(.25)}, d) {
		if !near(scores[c], want, 1e-13) {
			t.Errorf("m = V/4, class %d: %v, α = 1/4 %v", c, scores[c], want)
		}
	}
	// A class of N tokens has λ = μ/(N+μ) by Dirichlet.
	n := float64(k.classes[1].Tokens)
	got, want := k.scores(Multinomial{Smoothing: JelinekMercer(.25)}, d)[1], k.scores(Multinomial{Smoothing: Dirichlet(n / 3)}, d)[1]
	if !near(got, want, 1e-13) {
		t.Errorf("λ = 1/4: %v, μ = N/3 %v", got, want)
	}
}

// TestCountsAgree holds that the counts are the same where no document repeats a
// term, up to the unit.
func TestCountsAgree(t *testing.T) {
	t.Parallel()
	k := countDocuments([]string{"a", "b"}, doc(0, "x y z"), doc(0, "x w"), doc(1, "y"), doc(1, "w z"))
	d := doc(0, "x y w")
	want := k.scores(Multinomial{Smoothing: JelinekMercer(.3)}, d)
	binary := k.scores(Multinomial{Count: Binary, Smoothing: JelinekMercer(.3)}, d)
	logs := k.scores(Multinomial{Count: LogCounts, Smoothing: JelinekMercer(.3)}, d)
	for c := range want {
		if !near(binary[c], want[c], 1e-14) || !near(logs[c], math.Ln2*want[c], 1e-14) {
			t.Errorf("class %d: occurrences %v, binary %v, log %v", c, want[c], binary[c], logs[c])
		}
	}
	for x := range 3 {
		if got, want := counted(LogCounts, x, true), math.Log1p(float64(x)); !near(got, want, 1e-15) {
			t.Errorf("the chord at %d: %v, want %v", x, got, want)
		}
	}
}

// TestPrunedTotals holds that what Prune has dropped stays in the totals.
func TestPrunedTotals(t *testing.T) {
	t.Parallel()
	class := &count.Class{Docs: 5, Tokens: 30, Dropped: 4, Terms: 3, Frequencies: []count.Pair{{N: 2, Count: 2}, {N: 5, Count: 1}}}
	for n, want := range map[Count]float64{
		Occurrences: 30,
		Binary:      9 + 4,
		LogCounts:   30*math.Log(1.5) + 13*math.Log(4./3),
	} {
		if got := n.total(class); !near(got, want, 1e-15) {
			t.Errorf("%v: %v, want %v", n, got, want)
		}
	}
}

// TestModelsPanic lists parameters out of range: Prepare refuses them, and
// Parse their names.
func TestModelsPanic(t *testing.T) {
	t.Parallel()
	ms := []EventModel{
		Multinomial{Smoothing: Additive(0)}, Multinomial{Smoothing: JelinekMercer(1)}, Multinomial{Smoothing: AbsoluteDiscount(1.01)},
		Multinomial{Estimator: PosteriorMode}, Multinomial{Smoothing: Additive(.99), Estimator: PosteriorMode},
		Multinomial{Smoothing: Additive(1), Estimator: MaximumLikelihood},
		Multinomial{Smoothing: JelinekMercer(.5), Estimator: MaximumLikelihood},
		Multinomial{Smoothing: Dirichlet(5), Estimator: PosteriorMode},
		Bernoulli{Estimator: PosteriorMode}, Bernoulli{Yes: 2, Estimator: PosteriorMode},
		Bernoulli{No: 2, Estimator: MaximumLikelihood},
		DCM{Estimator: PosteriorMean}, DCM{Epsilon: 1, Estimator: MaximumLikelihood}, Normalised{Lambda: 1},
	}
	for _, amount := range []float64{-1, math.NaN(), inf, 1.1e9} {
		ms = append(ms, Multinomial{Smoothing: Additive(amount)}, Multinomial{Smoothing: MEstimate(amount)},
			Multinomial{Smoothing: JelinekMercer(amount)}, Multinomial{Smoothing: Dirichlet(amount)},
			Multinomial{Smoothing: AbsoluteDiscount(amount)}, Bernoulli{Yes: amount}, Bernoulli{No: amount},
			DCM{Epsilon: amount}, DCM{Epsilon: amount, Exponential: true}, Normalised{Lambda: amount},
			Complement{Alpha: amount}, Complement{Alpha: amount, Normalised: true})
	}
	for _, m := range ms {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", m.Name())
				}
			}()
			m.Prepare(Totals{})
		}()
		if got, err := Parse(m.Name()); err == nil {
			t.Errorf("%s was read as %#v", m.Name(), got)
		}
	}
	for _, m := range []EventModel{Multinomial{Count: 7}, Multinomial{Count: normalisedCounts}, Multinomial{Estimator: 9}, Bernoulli{Estimator: 9}, DCM{Estimator: 9}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%#v did not panic", m)
				}
			}()
			m.Prepare(Totals{})
		}()
	}
}

// The multinomial scores with the mean of the posterior of θ.
func TestMultinomialIsTheMeanOfItsPosterior(t *testing.T) {
	t.Parallel()
	train := manning2008()
	scores := train.scores(Multinomial{}, doc(0, "Chinese"))
	for class, counts := range [][2]uint64{{5, 8}, {1, 3}} {
		mean := (float64(counts[0]) + DefaultMultinomialAlpha) / (float64(counts[1]) + 6*DefaultMultinomialAlpha)
		if !near(math.Log(mean), scores[class], 1e-14) {
			t.Errorf("class %d: log mean %v, score %v", class, math.Log(mean), scores[class])
		}
	}
}
