package drift

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// answers gives n answers of which a share is spam, and the rest as sure as can be.
func answers(w *Watch, r *rand.Rand, n int, spam, unsure float64) {
	for range n {
		score := -12 + 3*r.NormFloat64()
		if r.Float64() < spam {
			score = 12 + 3*r.NormFloat64()
		}
		w.Answered(score, 1/(1+math.Exp2(-math.Abs(score))), r.Float64() < unsure)
	}
}

func TestSteady(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	w := New(.02)
	for range 50 {
		answers(w, r, 200, .4, .05)
		for range 4 {
			w.Learned()
		}
		w.Corrected()
		if s := w.State(); s.Drift != "" {
			t.Fatalf("%+v", s)
		}
	}
	w.Wrong()
	w.Wrong()
	if s := w.State(); s.Drift != "" || s.Answers != 10_000 || s.Learned != 200 || s.Wrong != 2 || s.Corrections != 50 {
		t.Errorf("%+v", s)
	}
}

func TestDrift(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(w *Watch, r *rand.Rand){
		"unsure":                 func(w *Watch, r *rand.Rand) { answers(w, r, 500, .4, .4) },
		"distributed":            func(w *Watch, r *rand.Rand) { answers(w, r, 500, .9, .05) },
		"answers were corrected": func(w *Watch, _ *rand.Rand) { repeat(10, w.Corrected) },
		"learned automatically":  func(w *Watch, _ *rand.Rand) { repeat(500, w.Learned); repeat(25, w.Wrong) },
	} {
		w, r := New(.02), rand.New(rand.NewPCG(2, 2))
		answers(w, r, 1500, .4, .05)
		if s := w.State(); s.Drift != "" {
			t.Errorf("before: %+v", s)
		}
		change(w, r)
		if s := w.State(); !strings.Contains(s.Drift, want) {
			t.Errorf("want %q: %+v", want, s)
		}
		w.Reset()
		answers(w, r, 1500, .9, .4)
		if s := w.State(); s.Drift != "" {
			t.Errorf("after Reset: %+v", s)
		}
	}
}

// TestBothWays holds that scores that fall are as far from those of before as scores that rise.
func TestBothWays(t *testing.T) {
	t.Parallel()
	for _, first := range []float64{-8, 8} {
		w := New(.02)
		w.Window = 20
		repeat(20, func() { w.Answered(first, .99, false) })
		repeat(15, func() { w.Answered(-first, .99, false) })
		repeat(5, func() { w.Answered(first, .99, false) })
		if s := w.State(); math.Abs(s.Distance-.75) > 1e-9 || !strings.Contains(s.Drift, "distributed") {
			t.Errorf("first %v: %+v, want distance 0.75", first, s)
		}
	}
}

func repeat(n int, f func()) {
	for range n {
		f()
	}
}

// TestMost holds the bound against quantiles of the Poisson distribution.
func TestMost(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		mean float64
		want int
	}{{0, 3}, {.2, 3}, {1, 5}, {10, 21}, {100, 132}, {2000, 2138}} {
		if got := most(test.mean); got != test.want {
			t.Errorf("of %v: %d, want %d", test.mean, got, test.want)
		}
	}
}
