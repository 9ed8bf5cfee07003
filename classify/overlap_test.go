package classify

import (
	"math"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// The overlap of two Gaussians is the integral of the smaller density, here by the
// trapezoidal rule.
func TestGaussianOverlap(t *testing.T) {
	t.Parallel()
	tests := []struct{ mp, vp, mq, vq float64 }{
		{0, 1, 0, 1}, {0, 1, 1, 1}, {0, 1, 3, 1}, {0, 1, 0, 4}, {0, 4, 1, 1}, {-2, .25, 1, 9}, {5, 2, 5.001, 2.0000001}, {0, 1, 100, 1}, {1, 1e-6, 0, 1},
	}
	for _, tt := range tests {
		got := gaussianOverlap(tt.mp, tt.vp, tt.mq, tt.vq)
		if swapped := gaussianOverlap(tt.mq, tt.vq, tt.mp, tt.vp); math.Abs(swapped-got) > 1e-12 {
			t.Errorf("%v: %v and, the other way round, %v", tt, got, swapped)
		}
		density := func(x, m, v float64) float64 {
			return math.Exp(-(x-m)*(x-m)/(2*v)) / math.Sqrt(2*math.Pi*v)
		}
		want, h := 0.0, 1e-4
		for x := -30.0; x < 30; x += h {
			want += h * min(density(x, tt.mp, tt.vp), density(x, tt.mq, tt.vq))
		}
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("%v: %v, want %v", tt, got, want)
		}
	}
	for _, tt := range []struct{ mp, vp, mq, vq, want float64 }{{1, 0, 1, 0, 1}, {1, 0, 2, 0, 0}, {1, 0, 1, 1, 0}} {
		if got := gaussianOverlap(tt.mp, tt.vp, tt.mq, tt.vq); got != tt.want {
			t.Errorf("%v: %v", tt, got)
		}
	}
}

// Overlaps do not depend on the unit: the same data in very small and very large ones.
func TestOverlapHasNoUnit(t *testing.T) {
	t.Parallel()
	values := map[string][]float64{"a": {1, 2, 4, 5}, "b": {3, 9, 6, 7}}
	var want float64
	for i, unit := range []float64{1, 1e-50, 1e-60, 1e-100, 1e-150, 1e52, 1e149} {
		scaled := map[string][]float64{}
		for class, list := range values {
			for _, x := range list {
				scaled[class] = append(scaled[class], x*unit)
			}
		}
		info, err := twoClasses(t, Attributes{}, count.Real, scaled).Attributes()
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want = info[0].Alike
		}
		if !near(info[0].Alike, want, 1e-9) || want < .1 || want > .5 {
			t.Errorf("unit %v: %v, want %v", unit, info[0].Alike, want)
		}
	}
}

// The dot product of two normal densities, by numerical integration: SciPy 1.10.1's quad
// of pq, p² and q².
func TestGaussianDot(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ mp, vp, mq, vq, want float64 }{
		{0, 1, 0, 1, 1}, {0, 1, 1, 1, .7788007830714048}, {0, 1, 3, 1, .1053992245618643}, {0, 1, 0, 4, .8944271909999154},
		{-2, .25, 1, 9, .3501155213647848}, {1, 0, 1, 0, 1}, {1, 0, 2, 0, 0}, {1, 0, 1, 1, 0},
	} {
		if got := gaussianDot(tt.mp, tt.vp, tt.mq, tt.vq); !near(got, tt.want, 1e-12) {
			t.Errorf("%v: %v", tt, got)
		}
		if got := gaussianDot(tt.mq, tt.vq, tt.mp, tt.vp); !near(got, tt.want, 1e-12) {
			t.Errorf("%v: %v the other way round", tt, got)
		}
	}
}

// The dot products of a database are those of its densities, and Screen heeds the measure.
func TestScreenByDotProduct(t *testing.T) {
	t.Parallel()
	values := map[string][]float64{"a": {-1, 1, -1, 1}, "b": {0, 2, 0, 2}} // variance 1, one apart
	c := twoClasses(t, Attributes{}, count.Real, values)
	info, err := c.Attributes()
	if err != nil || !near(info[0].Dot, .7788007830714048, 1e-8) || !near(info[0].Alike, .6170750774519738, 1e-8) {
		t.Fatalf("%+v, %v", info[0], err) // erfc(1/√8) = .617…
	}
	doc := Document{Attributes: []count.Attribute{{Name: "x", Kind: count.Real, Number: 1}}}
	for _, x := range []struct {
		by   Likeness
		most float64
		left int
	}{{Overlap, .7, 1}, {Overlap, .6, 0}, {DotProduct, .8, 1}, {DotProduct, .7, 0}} {
		c.screen, c.screenBy, c.prepared = x.most, x.by, nil
		r, err := c.Classify(ctx, doc)
		if err != nil || r.Attributes != x.left {
			t.Errorf("%v above %v: %d attributes, %v; want %d", x.by, x.most, r.Attributes, err, x.left)
		}
	}
	uniform := twoClasses(t, Attributes{}, count.Uniform, map[string][]float64{"a": {1, 2}, "b": {5, 3}})
	if info, err = uniform.Attributes(); err != nil || !near(info[0].Dot, .632455532033676, 1e-12) {
		t.Errorf("uniform: %v, %v", info[0].Dot, err)
	}
	if err := (&Options{Model: Auto{}, ScreenBy: 9}).check(); err == nil {
		t.Error("a measure that is none")
	}
}
