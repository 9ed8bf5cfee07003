package evaluation

import (
	"fmt"
	"math"
	"testing"

	"github.com/polya-classifier/polya/classify/eval"
)

func TestPointsOfTheCurve(t *testing.T) {
	t.Parallel()
	roc := &eval.ROC{Positives: 10, Negatives: 100}
	tests := []struct {
		p    eval.Point
		x, y float64
	}{
		{eval.Point{TruePositives: 9, FalsePositives: 1}, .01, .1},
		{eval.Point{TruePositives: 10, FalsePositives: 0}, .005, .05}, // half a document
		{eval.Point{TruePositives: 0, FalsePositives: 100}, 1, 1},
	}
	for _, test := range tests {
		if at := rates(roc, test.p); math.Abs(at.X-test.x) > 1e-12 || math.Abs(at.Y-test.y) > 1e-12 {
			t.Errorf("%+v is drawn at %v, want %v %v", test.p, at, test.x, test.y)
		}
	}
}

// What was said to be of the class is where the mark stands: 3 of 4 positives and 1
// of 6 negatives.
func TestDecidedPoint(t *testing.T) {
	t.Parallel()
	r := &eval.Results{Classes: []string{"ham", "spam"}}
	for i, a := range [][2]int{{1, 1}, {1, 1}, {1, 1}, {1, 0}, {0, 1}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}} {
		p := .1 + .01*float64(i)
		if err := r.Add(eval.Answer{ID: fmt.Sprint(i), Class: a[0], Said: a[1], Posterior: []float64{1 - p, p}}); err != nil {
			t.Fatal(err)
		}
	}
	if p := decided(&Model{Name: "m", Results: r}, 1); p.TruePositives != 3 || p.FalsePositives != 1 {
		t.Errorf("%+v", p)
	}
}

func TestLinesDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for i := range 28 {
		seen[look(i)] = true
	}
	if len(seen) != 28 {
		t.Errorf("%d kinds of lines", len(seen))
	}
}

// Both kinds of axes run from end to end, and stay within.
func TestAxes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a           axis
		value, want float64
	}{
		{axis{}, .25, .25}, {axis{}, -1, 0}, {axis{}, 2, 1},
		{axis{low: .01}, .01, 0}, {axis{low: .01}, .1, .5}, {axis{low: .01}, 1, 1}, {axis{low: .01}, 0, 0},
	} {
		if got := test.a.part(test.value); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%v on %+v: %v, want %v", test.value, test.a, got, test.want)
		}
	}
	if got := (axis{low: .002}).ticks(); len(got) != 3 || math.Abs(got[2]-.01) > 1e-15 {
		t.Errorf("ticks %v", got)
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	tests := [][2]string{
		{percentage(.001), "0.1\u00a0%"}, {percentage(1), "100\u00a0%"}, {percentage(.0001), "0.01\u00a0%"},
	}
	for _, test := range tests {
		if test[0] != test[1] {
			t.Errorf("%q, want %q", test[0], test[1])
		}
	}
}
