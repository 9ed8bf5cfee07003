package numeric

import (
	"math"
	"testing"
)

// log(e^-120 + e^-121) = -120 + log(1 + e^-1) = -119.68673831248, which is what
// the sum of the underflowing powers has to give (K. Murphy, Machine Learning: A
// Probabilistic Perspective, 2012, section 3.5.3). With 1000 less the powers are
// 0 in floating point.
func TestLogSumExp(t *testing.T) {
	t.Parallel()
	const want = -119.68673831248177 // bc -l: -120+l(1+e(-1))
	for _, less := range []float64{0, 1000, 1e6} {
		if got := -LogOdds([]float64{0, -120 - less, -121 - less}, 0); !near(got, want-less, 1e-13) {
			t.Errorf("log-odds %v, want %v", got, want-less)
		}
		p := Posterior([]float64{-120 - less, -121 - less})
		if !near(p[0], math.Exp(-120-want), 1e-13) || !near(p[1], math.Exp(-121-want), 1e-13) {
			t.Errorf("posterior %v", p)
		}
	}
}
