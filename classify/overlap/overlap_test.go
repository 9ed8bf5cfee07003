package overlap

import (
	"math"
	"testing"
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
}
