package classify

import (
	"testing"

	"github.com/polya-classifier/polya/classify/model"
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
