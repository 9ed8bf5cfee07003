package eval

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Means draws the samples of Interval and Difference, so that it gives their very
// numbers.
func TestMeansIsInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := NewResults("a", "b"), NewResults("a", "b")
		var right, loss, difference []float64
		hit := func(r *Results, class int, p float64) float64 {
			add(t, r, class, p, 1-p)
			if a := r.answers[r.Len()-1]; a.Said == a.Class {
				return 1
			}
			return 0
		}
		for range rapid.IntRange(1, 40).Draw(t, "n") {
			class := rapid.IntRange(0, 1).Draw(t, "class")
			p := rapid.Float64Range(.01, .99).Draw(t, "p")
			q := rapid.Float64Range(.01, .99).Draw(t, "q")
			one, other := hit(x, class, p), hit(y, class, q)
			right, difference = append(right, one), append(difference, one-other)
			loss = append(loss, surprise([]float64{p, 1 - p}[class]))
		}
		b := Bootstrap{Samples: 50, Seed: rapid.Uint64().Draw(t, "seed")}
		got := b.Means(right, loss, difference)
		if want := b.Interval(x, (*Results).Accuracy); got[0] != want {
			t.Errorf("accuracy: %v, want %v", got[0], want)
		}
		if want := b.Interval(x, (*Results).LogLoss); got[1] != want {
			t.Errorf("log loss: %v, want %v", got[1], want)
		}
		want, err := b.Difference(x, y, (*Results).Accuracy)
		if err != nil {
			t.Fatal(err)
		}
		for _, pair := range [][2]float64{{got[2].Value, want.Value}, {got[2].Low, want.Low}, {got[2].High, want.High}} {
			if math.Abs(pair[0]-pair[1]) > tolerance {
				t.Errorf("difference: %v, want %v", got[2], want)
			}
		}
	})
}

func TestMeansOfNothing(t *testing.T) {
	if got := (Bootstrap{}).Means(); len(got) != 0 {
		t.Errorf("no values: %v", got)
	}
	got := Bootstrap{}.Means(nil)[0]
	if !math.IsNaN(got.Value) || !math.IsNaN(got.Low) || !math.IsNaN(got.High) || got.Samples != 0 {
		t.Errorf("no documents: %v", got)
	}
	inf := Bootstrap{Samples: 200}.Means([]float64{math.Inf(1), 1, 1})[0]
	if !math.IsInf(inf.Value, 1) || !math.IsInf(inf.High, 1) || math.IsNaN(inf.Low) || inf.Samples != 200 {
		t.Errorf("an infinite loss: %v", inf)
	}
}

func TestMeansPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"lengths":    func() { Bootstrap{}.Means([]float64{1}, []float64{1, 2}) },
		"stratified": func() { Bootstrap{Stratified: true}.Means([]float64{1}) },
		"level":      func() { Bootstrap{Level: 1}.Means([]float64{1}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
