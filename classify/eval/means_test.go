package eval

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Every mean is taken on the same samples, each drawn document by document.
func TestMeansBySamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 10).Draw(t, "n")
		numbers := rapid.SliceOfN(rapid.Float64Range(-10, 10), n, n)
		values := [][]float64{numbers.Draw(t, "first"), numbers.Draw(t, "second")}
		seed := rapid.Uint64().Draw(t, "seed")
		random, means := rand.New(rand.NewPCG(seed, 0)), make([][]float64, len(values))
		for range samples {
			drawn := make([][]float64, len(values))
			for range n {
				i := random.IntN(n)
				for k := range values {
					drawn[k] = append(drawn[k], values[k][i])
				}
			}
			for k := range values {
				means[k] = append(means[k], Mean(drawn[k]))
			}
		}
		for k, got := range Bootstrap(seed, values...) {
			slices.Sort(means[k])
			want := Interval{Mean(values[k]), quantile(means[k], .025), quantile(means[k], .975)}
			for _, pair := range [][2]float64{{got.Value, want.Value}, {got.Low, want.Low}, {got.High, want.High}} {
				if math.Abs(pair[0]-pair[1]) > tolerance {
					t.Errorf("%v, want %v", got, want)
				}
			}
		}
	})
}

func TestMeansOfNothing(t *testing.T) {
	if got := Bootstrap(0); len(got) != 0 {
		t.Errorf("no values: %v", got)
	}
	got := Bootstrap(0, nil)[0]
	if !math.IsNaN(got.Value) || !math.IsNaN(got.Low) || !math.IsNaN(got.High) {
		t.Errorf("no documents: %v", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("slices of other lengths are compared")
		}
	}()
	Bootstrap(0, []float64{1}, []float64{1, 2})
}
