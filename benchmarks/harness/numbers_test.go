package harness

import (
	"math"
	"testing"
)

// TestQuantile has the values of numpy 1.24.2: numpy.Quantile(x, q), its default method.
func TestQuantile(t *testing.T) {
	x := []float64{15, 20, 35, 40, 50, 1.5, 7}
	for _, c := range []struct{ q, want float64 }{{0, 1.5}, {.25, 11}, {.5, 20}, {.9, 44}, {.95, 47}, {1, 50}} {
		if got := Quantile(x, c.q); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("quantile %g: %g, want %g", c.q, got, c.want)
		}
	}
	if x[0] != 15 {
		t.Error("the argument was sorted")
	}
	if got := Quantile([]float64{3}, .95); got != 3 {
		t.Errorf("of one value: %g", got)
	}
	if !math.IsNaN(Median(nil)) {
		t.Error("a median of nothing")
	}
}
