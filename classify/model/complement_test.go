package model

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The table below was printed by scikit-learn 1.2.1, whose ComplementNB scores
// as Complement does with norm=False, with X, y and x as in sklearn_test.go:
//
//	import numpy as np
//	from sklearn.naive_bayes import ComplementNB
//	for alpha in .1, 1:
//	    m = ComplementNB(alpha=alpha).fit(X, y)
//	    print(alpha)
//	    print(m.feature_log_prob_.tolist())
//	    for row in m._joint_log_likelihood(x):
//	        print("{" + ", ".join(map(repr, row.tolist())) + "},")
var sklearnComplement = []struct {
	model    Complement
	features [][]float64 // by class, for a, b, c, d, e
	joint    [][]float64 // by document
}{
	{
		Complement{Alpha: .1},
		[][]float64{
			{4.976733742420578, 1.2631616757162665, 1.2631616757162665, 2.5788384696222035, 1.0449081096962485},
			{1.5067837583740171, 2.8224605522799546, 2.175833387354902, 2.175833387354902, 0.7094963185614748},
			{1.5067837583740171, 1.2885301923539991, 2.175833387354902, 1.7863686205931786, 1.5067837583740171},
		},
		[][]float64{
			{18.283179122370495, 8.115177299599903, 9.709752179224987},
			{1.2631616757162665, 2.8224605522799546, 1.2885301923539991},
			{0, 0, 0},
		},
	},
	{
		Complement{Alpha: 1},
		[][]float64{
			{2.9444389791664403, 1.3350010667323402, 1.3350010667323402, 2.2512917986064953, 1.1526795099383855},
			{1.5260563034950494, 2.4423470353692043, 2.03688192726104, 2.03688192726104, 0.832909122935104},
			{1.5260563034950494, 1.3437347467010947, 2.03688192726104, 1.749199854809259, 1.5260563034950494},
		},
		[][]float64{
			{12.473677024108433, 8.280869083616397, 9.667163444736287},
			{1.3350010667323402, 2.4423470353692043, 1.3437347467010947},
			{0, 0, 0},
		},
	},
}

// TestSklearnComplement compares differences between classes: a score leaves out
// what all of them share.
func TestSklearnComplement(t *testing.T) {
	t.Parallel()
	k := sklearnCounts()
	for _, test := range sklearnComplement {
		compare := func(d document, want func(c int) float64) {
			t.Helper()
			got := k.scores(test.model, d)
			for c := range got {
				if !near(got[c]-got[0], want(c)-want(0), 1e-12) {
					t.Errorf("%s, %v, class %d: %v, want %v", test.model.Name(), d.terms, c, got[c]-got[0], want(c)-want(0))
				}
			}
		}
		for i, d := range sklearnDocs() {
			compare(d, func(c int) float64 { return test.joint[i][c] })
		}
		// A document of one term that occurs once has weight 1, or y = 1.
		for i, term := range k.terms {
			compare(doc(0, term), func(c int) float64 { return test.features[c][i] })
		}
	}
}

// TestComplementOfTwo holds that with two classes the complement of the one is the other,
// so that the scores differ like the multinomial's.
func TestComplementOfTwo(t *testing.T) {
	t.Parallel()
	k := johnson2014()
	for _, words := range []string{"run run buy", "sell", "kick ball sell buy"} {
		got, want := k.scores(Complement{Alpha: .3}, doc(0, words)), k.scores(Multinomial{Alpha: .3}, doc(0, words))
		if !near(got[0]-got[1], want[0]-want[1], 1e-13) {
			t.Errorf("%q: %v, multinomial %v", words, got, want)
		}
	}
}

// TestComplementOfNothing holds that θ' is 1/V where the complement is empty.
func TestComplementOfNothing(t *testing.T) {
	t.Parallel()
	k := countDocuments([]string{"a", "none"}, doc(0, "x x y"))
	scores := k.scores(Complement{Alpha: .5}, doc(0, "x"))
	// a: 1/2 for both terms. none: (2+.5)/(3+1) for x.
	if got, want := scores[0]-scores[1], math.Log(2.5/4)-math.Log(1./2); !near(got, want, 1e-14) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestNormalisedIgnoresLength holds that a document says the same as often as it
// is repeated, but for the logarithm, and that a score over the norm is bounded.
func TestNormalisedIgnoresLength(t *testing.T) {
	t.Parallel()
	k := randomCounts(rand.New(rand.NewPCG(25, 26)), 30, 80)
	long := document{0, map[string]int{}}
	for _, term := range k.terms {
		long.terms[term] = 255
	}
	once := document{0, map[string]int{}}
	for _, term := range k.terms {
		once.terms[term] = 1
	}
	for _, m := range []EventModel{Normalised{}} {
		got, want := k.scores(m, long), k.scores(m, once)
		for c := range want {
			if !near(got[c], want[c], 1e-12) {
				t.Errorf("%s, class %d: %v, of all terms once %v", m.Name(), c, got[c], want[c])
			}
		}
	}
}
