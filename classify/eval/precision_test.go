package eval

import (
	"testing"
)

// The numbers were printed by SciPy 1.10.1:
//
//	from scipy.stats import binomtest
//	binomtest(k, n).proportion_ci(method="wilson")
func TestWilsonIntervalIsSciPys(t *testing.T) {
	for _, x := range []struct {
		k, n      int
		low, high float64
	}{
		{0, 2, 0, .6576197724933469}, {1, 2, .09453120573423074, .9054687942657693}, {2, 2, .34238022750665303, 1},
		{7, 10, .39677814746114526, .892208732593699}, {0, 50, 0, .07134759913335872}, {49, 50, .8950455641036218, .9964607407283538},
		{500, 1000, .4690696003681042, .5309303996318958},
	} {
		low, high := Wilson(float64(x.k)/float64(x.n), x.n)
		near(t, "low", low, x.low)
		near(t, "high", high, x.high)
	}
	if low, high := Wilson(0, 0); low != 0 || high != 1 {
		t.Errorf("of no documents %v to %v", low, high)
	}
}
