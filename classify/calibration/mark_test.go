package calibration

import (
	"math"
	"testing"
)

// A mark of many hides what few others are like, the more documents it explains; it hides nothing where
// half have it, and of as many others.
func TestMarkHides(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lead        float64
		own, others uint64
		want        float64
	}{
		{0, 300, 20, 0}, {.5, 300, 20, 0}, {.75, 300, 20, 2. / 3}, {1, 300, 30, .9},
		{1, 300, 150, .5}, {1, 300, 300, 0}, {1, 20, 300, 0}, {.75, 100, 50, .5},
	} {
		m := Mark{Own: c.lead}
		if hidden := m.Hides(c.own, c.others); math.Abs(hidden-c.want) > 1e-12 {
			t.Errorf("%+v: %v", c, hidden)
		}
	}
	if n := (Mark{Own: .75}).Independent(20, .8); math.Abs(n-2) > 1e-12 {
		t.Errorf("%v are independent, want 2", n)
	}
}
