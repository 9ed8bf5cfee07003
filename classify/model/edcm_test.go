package model

import (
	"math/rand/v2"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// TestEDCMRecoversPrecision draws documents from an urn with many colours of
// which each has a small α, where the approximation holds (Elkan 2006, section
// 3): s and the A of the DCM are both near Σα.
func TestEDCMRecoversPrecision(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(27, 28))
	alpha := make([]float64, 2000)
	sum := 0.
	for i := range alpha {
		alpha[i] = .02 * rng.Float64()
		sum += alpha[i]
	}
	var docs []document
	for range 400 {
		docs = append(docs, urnDocument(rng, 0, alpha, 20+rng.IntN(100)))
	}
	k := countDocuments([]string{"urn"}, docs...)
	got := edcmPrecision(k.classes[0])
	if !near(got/sum, 1, .05) {
		t.Errorf("s = %v, want %v", got, sum)
	}
	if fit := k.fit(1e-6)[0]; !near(got/fit.A, 1, .05) {
		t.Errorf("s = %v, A = %v", got, fit.A)
	}
}

// TestEDCMPrecision lists classes at the borders.
func TestEDCMPrecision(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		class count.Class
		want  float64
	}{
		{"nothing", count.Class{}, 0},
		{"empty documents", count.Class{Docs: 3, Lengths: []count.Pair{{N: 0, Count: 3}}}, 0},
		{"no term repeats", count.Class{Docs: 2, Tokens: 6, Lengths: []count.Pair{{N: 3, Count: 2}},
			Frequencies: []count.Pair{{N: 1, Count: 6}}}, 0},
		// Six tokens of documents with one distinct term each: s → 0.
		{"only repetitions", count.Class{Docs: 2, Tokens: 6, Lengths: []count.Pair{{N: 3, Count: 2}},
			Frequencies: []count.Pair{{N: 1, Count: 2}}}, dcmMinA},
		// s [2/s + 2/(s+1)] = 3 for s = 1.
		{"two documents of two tokens", count.Class{Docs: 2, Tokens: 4, Lengths: []count.Pair{{N: 2, Count: 2}},
			Frequencies: []count.Pair{{N: 1, Count: 3}}}, 1},
		// The same after one of the three terms was pruned.
		{"pruned", count.Class{Docs: 2, Tokens: 4, Dropped: 1, Lengths: []count.Pair{{N: 2, Count: 2}},
			Frequencies: []count.Pair{{N: 1, Count: 2}}}, 1},
	} {
		if got := edcmPrecision(&test.class); !near(got, test.want, 1e-11) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestEDCMIgnoresWhatRepeats holds that of the repetitions only their number
// matters.
func TestEDCMIgnoresWhatRepeats(t *testing.T) {
	t.Parallel()
	k := randomCounts(rand.New(rand.NewPCG(29, 30)), 30, 100)
	m := DCM{Exponential: true}
	got, want := k.scores(m, doc(0, "t00001 t00001 t00001 t00002")), k.scores(m, doc(0, "t00001 t00001 t00002 t00002"))
	for c := range want {
		if got[c] != want[c] {
			t.Errorf("class %d: %v, want %v", c, got[c], want[c])
		}
	}
	if m.Levels() || !(DCM{}).Levels() {
		t.Error("the wrong one of the two reads levels")
	}
}
