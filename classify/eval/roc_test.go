package eval

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// roc is the curve of documents with these scores.
func roc(t rapid.TB, scores []float64, positive []bool) ROC {
	t.Helper()
	r := &Results{Classes: []string{"ham", "spam"}}
	for i, score := range scores {
		a := Answer{Posterior: []float64{.5, .5}, LogOdds: []float64{-score, score}}
		if positive[i] {
			a.Class = 1
		}
		if err := r.Add(a); err != nil {
			t.Fatal(err)
		}
	}
	return r.ROC(1)
}

type scored struct {
	score    float64
	positive bool
}

// drawScored draws documents with many ties, infinities among them.
func drawScored(t *rapid.T) (scores []float64, positive []bool) {
	one := rapid.Custom(func(t *rapid.T) scored {
		return scored{
			rapid.OneOf(
				rapid.SampledFrom([]float64{math.Inf(-1), -1, math.Copysign(0, -1), 0, 1, math.Inf(1)}),
				rapid.Float64(),
			).Draw(t, "score"),
			rapid.Bool().Draw(t, "positive"),
		}
	})
	for _, d := range rapid.SliceOfN(one, 0, 40).Draw(t, "documents") {
		scores, positive = append(scores, d.score), append(positive, d.positive)
	}
	return scores, positive
}

func TestROCAByPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores, positive := drawScored(t)
		var won, pairs float64
		for i := range scores {
			for j := range scores {
				if !positive[i] || positive[j] {
					continue
				}
				pairs++
				if scores[i] > scores[j] {
					won++
				} else if scores[i] == scores[j] {
					won += .5
				}
			}
		}
		c := roc(t, scores, positive)
		if got := c.OneMinusROCAPercent(); pairs > 0 && got != 100*((pairs-won)/pairs) {
			t.Fatalf("1-ROCA %% is %v, want %v", got, 100*((pairs-won)/pairs))
		}
	})
}

func TestThresholdsByTrial(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores, positive := drawScored(t)
		c := roc(t, scores, positive)
		errorsAt := func(threshold float64) (fp, fn int) {
			for i, score := range scores {
				switch {
				case score >= threshold && !positive[i]:
					fp++
				case !(score >= threshold) && positive[i]:
					fn++
				}
			}
			return fp, fn
		}
		x := rapid.Float64Range(0, 1).Draw(t, "x")
		missed := 1.
		for i, p := range c.Points {
			fp, fn := 0, c.Positives
			if i > 0 {
				if p.Threshold >= c.Points[i-1].Threshold && i > 1 {
					t.Fatal("thresholds do not fall")
				}
				fp, fn = errorsAt(p.Threshold)
			}
			if fp != p.FalsePositives || fn != c.Positives-p.TruePositives {
				t.Fatalf("point %d: %+v, but %d and %d errors", i, p, fp, fn)
			}
			if float64(fp)/float64(c.Negatives) <= x {
				missed = math.Min(missed, float64(fn)/float64(c.Positives))
			}
		}
		if rate, at := c.MissedAt(x); c.Positives > 0 && c.Negatives > 0 && rate != missed {
			t.Fatalf("missed at %v is %v (%+v), want %v", x, rate, at, missed)
		}
	})
}

func TestROCSpecialCases(t *testing.T) {
	inf := math.Inf(1)
	for _, test := range []struct {
		name     string
		scores   []float64
		positive []bool
		area     float64
	}{
		{"no documents", nil, nil, math.NaN()},
		{"no negatives", []float64{1, 2}, []bool{true, true}, math.NaN()},
		{"no positives", []float64{1, 2}, []bool{false, false}, math.NaN()},
		{"all scores equal", []float64{3, 3, 3}, []bool{true, false, true}, .5},
		{"all infinite", []float64{inf, inf}, []bool{true, false}, .5},
		{"perfect with infinities", []float64{-inf, inf}, []bool{false, true}, 1},
		{"zeros are equal", []float64{0, math.Copysign(0, -1)}, []bool{false, true}, .5},
	} {
		c := roc(t, test.scores, test.positive)
		near(t, test.name+": area", area(c), test.area)
	}
}

// 1000 ham and 10 spam: the best spam stands above all ham, the next two below one
// ham, six more below two, then one ham, and the last spam below all ham.
func TestMissedAt(t *testing.T) {
	var scores []float64
	var positive []bool
	put := func(n int, score float64, spam bool) {
		for range n {
			scores, positive = append(scores, score), append(positive, spam)
		}
	}
	put(1, 9, true)
	put(1, 8, false)
	put(2, 7, true)
	put(1, 6, false)
	put(6, 5, true)
	put(1, 4, false)
	put(997, 0, false)
	put(1, -1, true)
	c := roc(t, scores, positive)
	for _, test := range []struct{ x, missed, threshold float64 }{
		{0, .9, 9}, {.0009, .9, 9}, {.001, .7, 7}, {.002, .1, 5}, {.003, .1, 5}, {.5, .1, 5}, {1, 0, -1}, {2, 0, -1},
	} {
		missed, at := c.MissedAt(test.x)
		near(t, "missed", missed, test.missed)
		near(t, "threshold", at.Threshold, test.threshold)
	}
	// Where the best ham outranks all spam nothing can be called spam.
	missed, at := roc(t, []float64{2, 1}, []bool{false, true}).MissedAt(0)
	near(t, "missed", missed, 1)
	near(t, "threshold", at.Threshold, math.Inf(1))
}

// Log-odds go on ranking where probabilities are all 1.
func TestROCReadsLogOdds(t *testing.T) {
	r, blunt := &Results{Classes: []string{"ham", "spam"}}, &Results{Classes: []string{"ham", "spam"}}
	for i, odds := range []float64{800, 900} {
		a := Answer{Class: i, Said: 1, Posterior: []float64{0, 1}}
		if err := blunt.Add(a); err != nil {
			t.Fatal(err)
		}
		a.LogOdds = []float64{-odds, odds}
		if err := r.Add(a); err != nil {
			t.Fatal(err)
		}
	}
	near(t, "area", area(r.ROC(1)), 1)
	near(t, "area of probabilities", area(blunt.ROC(1)), .5)
}

// The numbers were printed by numpy 1.24:
//
//	def lam(fp, n, fn, p):
//	    lo = lambda e, n: np.log((e+.5)/(n-e+.5))
//	    return 100/(1+np.exp(-(lo(fp,n)+lo(fn,p))/2))
//	print(lam(3, 1000, 20, 500), lam(0, 1000, 0, 500))
func TestLAMPercent(t *testing.T) {
	for _, x := range []struct {
		fp, negatives, fn, positives int
		want                         float64
	}{
		{3, 1000, 20, 500, 1.2087219488280299}, {0, 1000, 0, 500, 0.07060779722335603}, // the second without errors
		{500, 1000, 250, 500, 50}, {100, 100, 0, 100, 50}, // of a coin, and of a constant
		{0, 0, 1, 2, math.NaN()},
	} {
		c := Confusion{Counts: [][]int{{x.negatives - x.fp, x.fp}, {x.fn, x.positives - x.fn}}}
		near(t, "LAM %", c.LAMPercent(1), x.want)
	}
}
