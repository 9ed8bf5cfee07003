package classify

import (
	"testing"

	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/classify/overlap"
	"github.com/polya-classifier/polya/store/count"
)

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
		info, err := twoClasses(t, model.Attributes{}, count.Real, scaled).Attributes(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want = info[0].Overlap
		}
		if !near(info[0].Overlap, want, 1e-9) || want < .1 || want > .5 {
			t.Errorf("unit %v: %v, want %v", unit, info[0].Overlap, want)
		}
	}
}

// The dot products of a database are those of its densities, and Screen heeds the measure.
func TestScreenByDotProduct(t *testing.T) {
	t.Parallel()
	values := map[string][]float64{"a": {-1, 1, -1, 1}, "b": {0, 2, 0, 2}} // variance 1, one apart
	c := twoClasses(t, model.Attributes{}, count.Real, values)
	info, err := c.Attributes(ctx)
	if err != nil || !near(info[0].Dot, .7788007830714048, 1e-8) || !near(info[0].Overlap, .6170750774519738, 1e-8) {
		t.Fatalf("%+v, %v", info[0], err) // erfc(1/√8) = .617…
	}
	doc := Document{Attributes: []count.Attribute{{Name: "x", Kind: count.Real, Number: 1}}}
	for _, x := range []struct {
		by   overlap.Measure
		most float64
		left int
	}{{overlap.Area, .7, 1}, {overlap.Area, .6, 0}, {overlap.DotProduct, .8, 1}, {overlap.DotProduct, .7, 0}} {
		c.options.Screen, c.options.ScreenBy, c.prepared = x.most, x.by, nil
		r, err := c.Classify(ctx, doc)
		if err != nil || r.Attributes != x.left {
			t.Errorf("%v above %v: %d attributes, %v; want %d", x.by, x.most, r.Attributes, err, x.left)
		}
	}
	uniform := twoClasses(t, model.Attributes{}, count.Uniform, map[string][]float64{"a": {1, 2}, "b": {5, 3}})
	if info, err = uniform.Attributes(ctx); err != nil || !near(info[0].Dot, .632455532033676, 1e-12) {
		t.Errorf("uniform: %v, %v", info[0].Dot, err)
	}
	if err := (&Options{Model: Auto{}, ScreenBy: 9}).check(); err == nil {
		t.Error("a measure that is none")
	}
}
