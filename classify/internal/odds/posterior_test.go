package odds

import (
	"math"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

var infinity = math.Inf(1)

func nearly(x, y, tol float64) bool {
	return x == y || math.Abs(x-y) <= tol*max(1, math.Abs(x), math.Abs(y))
}

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
			if !nearly(got[c], want, 1e-9) && !(math.IsNaN(want) && math.IsNaN(got[c])) {
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
		if got := LogOdds(test.scores, test.class); !nearly(got, test.want, 1e-15) {
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
		if got, want := LogOdds(scores, c), math.Log(p/(1-p)); !nearly(got, want, 1e-14) {
			t.Errorf("class %d: %v, want %v", c, got, want)
		}
	}
}

func TestLogPrior(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		docs []uint64
		want []float64
	}{
		{nil, nil},
		{[]uint64{0}, []float64{-infinity}},
		{[]uint64{0, 0}, []float64{-infinity, -infinity}},
		{[]uint64{7}, []float64{0}},
		{[]uint64{100, 1}, []float64{math.Log(101. / 103), math.Log(2. / 103)}},
		{[]uint64{2, 0, 1}, []float64{math.Log(3. / 5), -infinity, math.Log(2. / 5)}},
	} {
		var classes []*count.Class
		for _, d := range test.docs {
			classes = append(classes, &count.Class{Docs: d})
		}
		got := LogPrior(classes)
		for c, want := range test.want {
			if !nearly(got[c], want, 1e-15) {
				t.Errorf("logPrior(%v) = %v, want %v", test.docs, got, test.want)
			}
		}
	}
}
