package evaluating

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/cmd/internal/evaluation"
)

// The thinned curve has at most 500 points, and every point of the whole curve has
// one of them within a cell of the grid on both axes.

// The thinned curve has at most 500 points, and every point of the whole curve has
// one of them within a cell of the grid on both axes.
func TestThinnedCurveLooksTheSame(t *testing.T) {
	t.Parallel()
	for _, m := range sample(7500, "ham", "spam").Models {
		curve := tradeoffOf(m, "spam")
		kept := curve.missRates()
		if len(kept) > 500 {
			t.Errorf("%s: %d points", m.Name, len(kept))
		}
		cell := math.Log(2*3750) / cellsPerAxis
		for _, p := range curve.roc.Points {
			at := curve.at(p)
			near := func(k point) bool {
				return math.Abs(math.Log(at.X/k.X)) <= cell && math.Abs(math.Log(at.Y/k.Y)) <= cell
			}
			if !slices.ContainsFunc(kept, near) {
				t.Fatalf("%s: nothing is drawn near %v", m.Name, at)
			}
		}
	}
}

func TestPointsOfTheCurve(t *testing.T) {
	t.Parallel()
	m := tradeoff{roc: eval.ROC{Positives: 10, Negatives: 100}}
	tests := []struct {
		p    eval.Point
		x, y float64
	}{
		{eval.Point{TruePositives: 9, FalsePositives: 1}, .01, .1},
		{eval.Point{TruePositives: 10, FalsePositives: 0}, .005, .05}, // half a document
		{eval.Point{TruePositives: 0, FalsePositives: 100}, 1, 1},
	}
	for _, test := range tests {
		if at := m.at(test.p); math.Abs(at.X-test.x) > 1e-12 || math.Abs(at.Y-test.y) > 1e-12 {
			t.Errorf("%+v is drawn at %v, want %v %v", test.p, at, test.x, test.y)
		}
	}
}

// What was said to be of the class is where the mark stands: 3 of 4 positives and 1
// of 6 negatives.
func TestDecidedPoint(t *testing.T) {
	t.Parallel()
	r := eval.NewResults("ham", "spam")
	for i, a := range [][2]int{{1, 1}, {1, 1}, {1, 1}, {1, 0}, {0, 1}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}} {
		p := .1 + .01*float64(i)
		if err := r.Add(eval.Answer{ID: fmt.Sprint(i), Class: a[0], Said: a[1], Posterior: []float64{1 - p, p}}); err != nil {
			t.Fatal(err)
		}
	}
	m := tradeoffOf(&evaluation.Model{Name: "m", Results: r}, "spam")
	if m.decided.TruePositives != 3 || m.decided.FalsePositives != 1 || m.roc.Negatives != 6 {
		t.Errorf("%+v", m.decided)
	}
}

func TestLinesDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for i := range 28 {
		seen[colour(i)+dashed(i)] = true
	}
	if len(seen) != 28 {
		t.Errorf("%d kinds of lines", len(seen))
	}
}

func TestNiceStep(t *testing.T) {
	t.Parallel()
	tests := []struct {
		span float64
		n    int
		want float64
	}{{1, 5, .2}, {.6, 6, .1}, {16, 8, 2}, {17, 8, 5}, {.03, 6, .005}, {0, 5, 1}, {math.Inf(1), 5, 1}, {math.NaN(), 5, 1}}
	for _, test := range tests {
		if got := niceStep(test.span, test.n); got != test.want {
			t.Errorf("%v in %d: %v, want %v", test.span, test.n, got, test.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	tests := [][2]string{
		{percentage(.001), "0.1\u00a0%"}, {percentage(1), "100\u00a0%"}, {number(-8), "−8"}, {number(.1 + .2), "0.3"}, {number(1e-17), "0"},
		{printable("a\tb"), `a\tb`}, {printable("a\u2028b"), `a\u2028b`},
	}
	for _, test := range tests {
		if test[0] != test[1] {
			t.Errorf("%q, want %q", test[0], test[1])
		}
	}
}
