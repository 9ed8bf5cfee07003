package model

import (
	"math"
	"slices"
	"testing"
)

// TestThreeTails tosses three tails in three tosses and asks for heads. The mean
// is Laplace's rule of succession, (s+1)/(n+2) after s successes in n trials
// (Essai philosophique sur les probabilités, 1814): (0+1)/(3+2) = 1/5. Under
// Beta(2, 2) the mode is the same, (0+2-1)/(3+4-2), and the mean (0+2)/(3+4).
func TestThreeTails(t *testing.T) {
	t.Parallel()
	// As answers to "does the coin show heads?", and as draws of two words.
	answers := countDocuments([]string{"coin", "other"}, doc(0, ""), doc(0, ""), doc(0, ""), doc(1, "heads"))
	draws := countDocuments([]string{"coin", "other"}, doc(0, "tails tails tails"), doc(1, "heads tails"))
	for _, test := range []struct {
		name string
		k    *counts
		m    EventModel
		want float64
	}{
		{"likelihood", answers, Bernoulli{Estimator: MaximumLikelihood}, 0},
		{"mean, Beta(1, 1)", answers, Bernoulli{Yes: 1, No: 1}, 1. / 5},
		{"mean, Beta(1, 1), named", answers, Bernoulli{Yes: 1, No: 1, Estimator: PosteriorMean}, 1. / 5},
		{"mean, Beta(2, 2)", answers, Bernoulli{Yes: 2, No: 2}, 2. / 7},
		{"mode, Beta(1, 1)", answers, Bernoulli{Yes: 1, No: 1, Estimator: PosteriorMode}, 0},
		{"mode, Beta(2, 2)", answers, Bernoulli{Yes: 2, No: 2, Estimator: PosteriorMode}, 1. / 5},
		{"draws, likelihood", draws, Multinomial{Estimator: MaximumLikelihood}, 0},
		{"draws, mean, Dirichlet(1, 1)", draws, Multinomial{Smoothing: Additive(1)}, 1. / 5},
		{"draws, mean, m = 2", draws, Multinomial{Smoothing: MEstimate(2)}, 1. / 5},
		{"draws, mode, Dirichlet(2, 2)", draws, Multinomial{Smoothing: Additive(2), Estimator: PosteriorMode}, 1. / 5},
		{"draws, DCM without burstiness, likelihood", draws, DCM{Fits: infinite(draws), Estimator: MaximumLikelihood}, 0},
	} {
		if got := math.Exp(test.k.scores(test.m, doc(0, "heads"))[0]); !near(got, test.want, 1e-15) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestImpossibleDocuments asks for documents that no class, or but one, can have
// given.
func TestImpossibleDocuments(t *testing.T) {
	t.Parallel()
	k := countDocuments([]string{"a", "b", "empty"}, doc(0, "x x u"), doc(0, "x u v"), doc(1, "y y"), doc(1, "y z"), doc(2, ""))
	third := []float64{1. / 3, 1. / 3, 1. / 3}
	for _, test := range []struct {
		m    EventModel
		doc  string
		want []float64
	}{
		// x and y have never met, and the class that never had a word says nothing
		// of any.
		{Bernoulli{Estimator: MaximumLikelihood}, "x y u", third},
		{Bernoulli{Estimator: MaximumLikelihood}, "x u", []float64{1, 0, 0}},
		// Without u, which all documents of a have, and with y, which all of b have.
		{Bernoulli{Estimator: MaximumLikelihood}, "x", third},
		{Bernoulli{Estimator: MaximumLikelihood}, "y", []float64{0, 1, 0}},
		{Bernoulli{Estimator: MaximumLikelihood}, "", []float64{0, 0, 1}},
	} {
		scores := k.scores(test.m, doc(0, test.doc))
		if got := softmax(scores); !slices.Equal(got, test.want) {
			t.Errorf("%s, %q: %v of %v, want %v", test.m.Name(), test.doc, got, scores, test.want)
		}
	}
	k = countDocuments([]string{"a", "b"}, doc(0, "x x u"), doc(0, "x v v"), doc(1, "y y"), doc(1, "y z"))
	for _, m := range likelihoods(k) {
		if _, ok := m.(Bernoulli); ok {
			continue
		}
		if got := softmax(k.scores(m, doc(0, "x x y"))); !slices.Equal(got, []float64{.5, .5}) {
			t.Errorf("%s, x x y: %v, want 1/2 each", m.Name(), got)
		}
		if got := softmax(k.scores(m, doc(0, "y y z"))); !slices.Equal(got, []float64{0, 1}) {
			t.Errorf("%s, y y z: %v, want 0 and 1", m.Name(), got)
		}
	}
}

// TestLikelihoodsAreNeverNaN asks them for documents with and without what the
// classes have, where a class has neither documents nor words.
func TestLikelihoodsAreNeverNaN(t *testing.T) {
	t.Parallel()
	for _, k := range []*counts{
		countDocuments([]string{"one"}),
		countDocuments([]string{"one"}, doc(0, "")),
		countDocuments([]string{"one"}, doc(0, "w w w")),
		countDocuments([]string{"none", "one", "empty"}, doc(1, "v w w"), doc(1, "w"), doc(2, "")),
		countDocuments([]string{"one", "two"}, doc(0, "v"), doc(1, "w")),
	} {
		for _, m := range likelihoods(k) {
			for _, words := range []string{"", "v", "w", "v w w", "w w w w w w w w w w w w w w w w w w w w", "unknown"} {
				scores := k.scores(m, doc(0, words))
				for c, p := range softmax(scores) {
					if math.IsNaN(scores[c]) || math.IsInf(scores[c], 1) || math.IsNaN(p) {
						t.Errorf("%s, %q: scores %v, p = %v", m.Name(), words, scores, p)
					}
				}
			}
		}
	}
}

// TestLikelihoodIsLimit holds that maximum likelihood is what the prior goes to
// where all classes have all terms.
func TestLikelihoodIsLimit(t *testing.T) {
	t.Parallel()
	k := countDocuments([]string{"a", "b"}, doc(0, "x x y"), doc(0, "y x"), doc(0, "x"), doc(0, "y y"),
		doc(1, "x y y"), doc(1, "x"), doc(1, "y"))
	const tiny = 1e-12
	for _, pair := range [][2]EventModel{
		{Multinomial{Estimator: MaximumLikelihood}, Multinomial{Smoothing: Additive(tiny)}},
		{Bernoulli{Estimator: MaximumLikelihood}, Bernoulli{Yes: tiny, No: tiny}},
		{DCM{Estimator: MaximumLikelihood}, DCM{Epsilon: tiny}},
		{DCM{Exponential: true, Estimator: MaximumLikelihood}, DCM{Exponential: true, Epsilon: tiny}},
		{Multinomial{Smoothing: Additive(1), Estimator: PosteriorMode}, Multinomial{Estimator: MaximumLikelihood}},
		{Bernoulli{Yes: 1, No: 1, Estimator: PosteriorMode}, Bernoulli{Estimator: MaximumLikelihood}},
	} {
		for _, words := range []string{"x", "x x y", "y y y"} {
			got, want := k.scores(pair[0], doc(0, words)), k.scores(pair[1], doc(0, words))
			for c := range want {
				if !near(got[c], want[c], 1e-10) {
					t.Errorf("%s, %q: %v, %s %v", pair[0].Name(), words, got, pair[1].Name(), want)
				}
			}
		}
	}
}
