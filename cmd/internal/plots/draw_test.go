package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/cmd/internal/evaluation"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// The thinned curve has at most 500 points, and every point of the whole curve has
// one of them within a cell of the grid on both axes.
func TestThinnedCurveLooksTheSame(t *testing.T) {
	t.Parallel()
	r := sample(7500, "ham", "spam")
	for _, m := range r.Models {
		curve, why := tradeoffOf(0, m, "spam")
		if why != "" {
			t.Fatal(why)
		}
		kept := missRates(curve)
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
	m, why := tradeoffOf(0, &evaluation.Model{Name: "m", Results: r}, "spam")
	if why != "" || m.decided.TruePositives != 3 || m.decided.FalsePositives != 1 || m.roc.Negatives != 6 {
		t.Errorf("%+v %q", m.decided, why)
	}
}

func TestWinsFrom(t *testing.T) {
	t.Parallel()
	at := func(docs int, a, b float64) evaluation.CurvePoint {
		return evaluation.CurvePoint{Docs: docs, Models: []evaluation.CurveValues{
			{Name: "a", Accuracy: around(a, 0)}, {Name: "b", Accuracy: around(b, 0)}}}
	}
	nan := math.NaN()
	tests := []struct {
		points []evaluation.CurvePoint
		docs   int
		found  bool
	}{
		{nil, 0, false},
		{[]evaluation.CurvePoint{at(10, .5, .6), at(100, .7, .65), at(1000, .8, .7)}, 100, true},
		{[]evaluation.CurvePoint{at(10, .7, .6), at(100, .6, .65), at(1000, .8, .7)}, 1000, true}, // not for good at 10
		{[]evaluation.CurvePoint{at(10, .7, .6), at(100, .7, .7)}, 0, false},                      // a draw
		{[]evaluation.CurvePoint{at(10, .7, .6), at(100, nan, .7)}, 0, false},
		{[]evaluation.CurvePoint{at(10, .7, .6), at(100, .9, .7)}, 10, true},
	}
	for i, test := range tests {
		if docs, found := winsFrom(test.points, "a", "b"); docs != test.docs || found != test.found {
			t.Errorf("%d: from %d, %v, want %d, %v", i, docs, found, test.docs, test.found)
		}
	}
}

func TestCrossings(t *testing.T) {
	t.Parallel()
	r := sample(40, "ham", "spam")
	from, sentences := crossings(r.Curve, baseline)
	said := strings.Join(sentences, "\n")
	if from == 0 || !strings.Contains(said, fmt.Sprintf("From %s documents on, logistic is more often right than multinomial.", terminal.Grouped(from))) {
		t.Errorf("from %d: %s", from, said)
	}
	if from, sentences := crossings(r.Curve, "none"); from != 0 || sentences != nil {
		t.Errorf("a model that is not there wins from %d: %v", from, sentences)
	}
}

// Two uniform densities of width 2, the second moved by 1, have half in common.
func TestOverlap(t *testing.T) {
	t.Parallel()
	d := evaluation.DensityPair{Edges: []float64{0, 1, 2, 3}, Classes: []evaluation.Density{
		{Bars: []float64{.5, .5, 0}}, {Bars: []float64{0, .5, .5}}}}
	if got := overlap(d); got != .5 {
		t.Errorf("overlap %v", got)
	}
}

// contrast is the contrast ratio of two colours as WCAG 2.1 defines it, relative
// luminance and all.
func contrast(t *testing.T, a, b string) float64 {
	luminance := func(c string) float64 {
		var rgb [3]uint8
		if _, err := fmt.Sscanf(c, "#%02x%02x%02x", &rgb[0], &rgb[1], &rgb[2]); err != nil {
			t.Fatal(c, err)
		}
		linear := func(v uint8) float64 {
			x := float64(v) / 255
			if x <= .04045 {
				return x / 12.92
			}
			return math.Pow((x+.055)/1.055, 2.4)
		}
		return .2126*linear(rgb[0]) + .7152*linear(rgb[1]) + .0722*linear(rgb[2])
	}
	low, high := luminance(a), luminance(b)
	return (max(low, high) + .05) / (min(low, high) + .05)
}

// 4.5 is the contrast that WCAG 2.1 wants of text.
func TestCountsCanBeRead(t *testing.T) {
	t.Parallel()
	for x := 0.; x <= 1; x += .01 {
		background, text := shade(x)
		if c := contrast(t, background, text); c < 4.5 {
			t.Errorf("contrast %.2f at %.2f", c, x)
		}
	}
	if contrast(t, ink, "#ffffff") < 4.5 {
		t.Error("the ink is too light")
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
		{percent(.001), "0.1\u00a0%"}, {percent(1), "100\u00a0%"}, {number(-8), "−8"}, {number(.1 + .2), "0.3"}, {number(1e-17), "0"},
		{fixedPoint(math.NaN(), 2), "–"}, {fixedPoint(math.Inf(-1), 2), "−∞"}, {fixedPoint(-.0001, 2), "0.00"}, {fixedPoint(-1.5, 1), "−1.5"},
		{probability(1e-9).Text, "<\u00a00.0001"}, {probability(.25).Text, "0.2500"}, {probability(math.NaN()).Text, "–"},
		{printable("a\tb"), `a\tb`}, {printable("a\u2028b"), `a\u2028b`},
		{interval(around(.5, .25), 100, 1, "\u00a0%").Text, "50.0\u00a0% [25.0,\u00a075.0]"},
	}
	for _, test := range tests {
		if test[0] != test[1] {
			t.Errorf("%q, want %q", test[0], test[1])
		}
	}
}

// The best of a column is marked, with all that read the same; where all read the
// same, none is.
func TestMarkBest(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	tests := []struct {
		values  []float64
		greater bool
		want    string
	}{
		{[]float64{.5, .7, .6}, true, ".b."}, {[]float64{.5, .7, .6}, false, "b.."},
		{[]float64{.7001, .7, .6}, true, "bb."}, {[]float64{.7, .7}, true, ".."}, {[]float64{.7}, true, "."},
		{[]float64{nan, .7, .6}, true, ".b."}, {[]float64{nan, nan}, true, ".."}, {[]float64{nan, .1}, false, ".b"},
		{[]float64{math.Inf(1), 2, nan}, false, ".b."},
	}
	for _, test := range tests {
		tab := table{}
		for _, v := range test.values {
			tab.Rows = append(tab.Rows, []cell{decimals(v, 2)})
		}
		markBest(&tab, 0, test.values, test.greater)
		got := ""
		for _, row := range tab.Rows {
			got += map[bool]string{true: "b", false: "."}[row[0].Best]
		}
		if got != test.want {
			t.Errorf("%v: %s, want %s", test.values, got, test.want)
		}
	}
}
