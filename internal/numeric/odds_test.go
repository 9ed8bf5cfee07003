package numeric

import (
	"math"
	"testing"
)

var infinity = math.Inf(1)

func TestPosterior(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for _, test := range []struct {
		scores, want []float64
	}{
		{nil, nil},
		{[]float64{-5000}, []float64{1}},
		{[]float64{-infinity}, []float64{1}},
		{[]float64{0, math.Log(3)}, []float64{.25, .75}},
		{[]float64{-1e6, -1e6 + math.Log(3)}, []float64{.25, .75}},
		{[]float64{1e300, -1e300}, []float64{1, 0}},
		{[]float64{-infinity, -7, -7}, []float64{0, .5, .5}},
		{[]float64{-infinity, -infinity}, []float64{.5, .5}},
		{[]float64{infinity, 5, infinity, -infinity}, []float64{.5, 0, .5, 0}},
		{[]float64{nan, 0}, []float64{nan, nan}},
	} {
		got := Posterior(test.scores)
		for c, want := range test.want {
			if !near(got[c], want, 1e-9) && !(math.IsNaN(want) && math.IsNaN(got[c])) {
				t.Errorf("posterior(%v) = %v, want %v", test.scores, got, test.want)
			}
		}
	}
}

func TestLogOdds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		scores []float64
		class  int
		want   float64
	}{
		{[]float64{-3}, 0, infinity},
		{[]float64{-infinity}, 0, infinity},
		{[]float64{0, math.Log(3)}, 0, -math.Log(3)},
		{[]float64{0, math.Log(3)}, 1, math.Log(3)},
		{[]float64{0, 0, 0}, 1, -math.Log(2)},
		{[]float64{-2000, 0}, 1, 2000},
		{[]float64{-2000, 0}, 0, -2000},
		{[]float64{-2001, 0, -2001}, 1, 2001 - math.Log(2)},
		{[]float64{-infinity, 5}, 1, infinity},
		{[]float64{-infinity, 5}, 0, -infinity},
		{[]float64{-infinity, -infinity, -infinity}, 2, -math.Log(2)},
		{[]float64{infinity, 5, infinity, infinity}, 0, -math.Log(2)},
		{[]float64{infinity, 5, -infinity}, 0, infinity},
		{[]float64{infinity, 5, -infinity}, 1, -infinity},
		{[]float64{infinity, 5, -infinity}, 2, -infinity},
	} {
		if got := LogOdds(test.scores, test.class); !near(got, test.want, 1e-15) {
			t.Errorf("logOdds(%v, %d) = %v, want %v", test.scores, test.class, got, test.want)
		}
	}
	for c := range 2 {
		if got := LogOdds([]float64{math.NaN(), 0}, c); !math.IsNaN(got) {
			t.Errorf("odds of class %d beside NaN: %v", c, got)
		}
	}
}

// TestLogOddsRank holds that the odds go on ranking where the probability is
// 1.
func TestLogOddsRank(t *testing.T) {
	t.Parallel()
	last := 0.0
	for lead := 50.; lead < 1e5; lead *= 1.01 {
		scores := []float64{-1e5 - lead, -1e5}
		if p := Posterior(scores)[1]; p != 1 {
			t.Fatalf("probability %v", p)
		}
		if odds := LogOdds(scores, 1); odds <= last {
			t.Fatalf("odds %v after %v", odds, last)
		} else {
			last = odds
		}
	}
}

func TestLogOddsMatchPosterior(t *testing.T) {
	t.Parallel()
	scores := []float64{-3.5, -1.25, -7, -2}
	for c, p := range Posterior(scores) {
		if got, want := LogOdds(scores, c), math.Log(p/(1-p)); !near(got, want, 1e-14) {
			t.Errorf("class %d: %v, want %v", c, got, want)
		}
	}
}

func TestSoftplus(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ x, want float64 }{
		{0, math.Ln2}, {1000, 1000}, {-1000, 0}, {-40, math.Exp(-40)}, {infinity, infinity}, {-infinity, 0},
	} {
		if got := Softplus(test.x); !near(got, test.want, 1e-15) {
			t.Errorf("softplus(%v) = %v, want %v", test.x, got, test.want)
		}
	}
}

func TestLogSum(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ a, b, want float64 }{
		{0, 0, math.Ln2}, {-2000, -2000 + math.Log(3), -2000 + math.Log(4)},
		{-infinity, 3, 3}, {3, -infinity, 3}, {-infinity, -infinity, -infinity}, {800, 0, 800},
	} {
		if got := LogSum(test.a, test.b); !near(got, test.want, 1e-15) {
			t.Errorf("log sum of %v and %v = %v, want %v", test.a, test.b, got, test.want)
		}
	}
}

func TestLogistic(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]float64{0: .5, math.Log(3): .75, -math.Log(3): .25, infinity: 1, -infinity: 0} {
		if got := Logistic(x); !near(got, want, 1e-15) {
			t.Errorf("logistic(%v) = %v, want %v", x, got, want)
		}
	}
}
