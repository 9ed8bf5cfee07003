package model

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestQuickLog(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	check := func(x float64) {
		if got, want := quickLog(x), math.Log(x); !(math.Abs(got-want) <= 1e-10) {
			t.Errorf("log %v = %v, want %v", x, got, want)
		}
	}
	for _, x := range []float64{1, 2, 0.5, math.Nextafter(1, 0), math.Nextafter(1, 2), 0x1p-1022, math.MaxFloat64, math.E} {
		check(x)
	}
	for range 100_000 {
		check(math.Exp(rng.NormFloat64() * 20))
	}
}
