package calibration

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store/count"
)

// newTail returns the Tail of other documents' log-odds, with so many of the class, all
// at 0.
func newTail(own int, others ...float64) Tail {
	var list []Odds
	for i, odds := range others {
		list = append(list, Odds{LogOdds: odds, ID: count.DocID{15: byte(i), 14: byte(i >> 8)}})
	}
	return NewTail(append(list, slices.Repeat([]Odds{{Own: 1}}, own)...), 0, false)
}

// No more of the documents scored exceed the cut-off than the exact bound allows, which
// is far less than the rate; there is one from Needed on; and while every rank is
// kept it is the least such value.
func TestCutOfTail(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		n := 10 + rng.IntN(300)
		odds := make([]float64, n)
		for i := range odds {
			odds[i] = 3 * rng.NormFloat64()
			switch rng.IntN(8) {
			case 0:
				odds[i] = math.Inf(1)
			case 1:
				odds[i] = math.Inf(-1)
			case 2, 3:
				odds[i] = math.Round(odds[i]) * .3 // ties
			case 4:
				odds[i] *= 1e200
			}
		}
		rate := .5 * rng.Float64() * rng.Float64()
		cut, known := newTail(30, odds...).Cut(rate)
		if known != (n >= Needed(rate)) {
			t.Fatalf("rate %v of %d documents: known %t", rate, n, known)
		}
		if !known {
			continue
		}
		slices.Sort(odds)
		exceed := n - sortedAbove(odds, cut.LogOdds)
		allowed := numeric.Exceeding(n, rate, Confidence)
		if exceed > cut.Exceeding || cut.Exceeding > allowed || float64(allowed) > rate*float64(n) {
			t.Fatalf("%d (%d) of %d documents exceed %v, rate %v allows %d", exceed, cut.Exceeding, n, cut.LogOdds, rate, allowed)
		}
		least := odds[n-1-allowed]
		if allowed <= tailCoarse && allowed <= n/2 && !math.IsInf(least, 0) && math.Abs(least) < 1e30 && math.Abs(cut.LogOdds-least) > 1e-6*max(1, math.Abs(least)) {
			t.Fatalf("rate %v of %d documents: %v, want %v", rate, n, cut.LogOdds, least)
		}
		if want := 30; cut.LogOdds < 0 && cut.Caught != want || cut.LogOdds >= 0 && cut.Caught != 0 {
			t.Fatalf("%d caught at log-odds 0, cut-off %v", cut.Caught, cut.LogOdds)
		}
	}
}

// Of databases whose documents are drawn from one source, about 5 % and no more have a
// cut-off beyond which there are more of the others than the rate allows: log-odds that
// are uniform between 0 and 1 have a share beyond a cut-off that is known.
func TestRateIsKeptWithConfidence(t *testing.T) {
	t.Parallel()
	const trials, n, rate = 2000, 700, .01
	rng := rand.New(rand.NewPCG(7, 8))
	over, odds := 0, make([]float64, n)
	for range trials {
		for i := range odds {
			odds[i] = rng.Float64()
		}
		cut, known := newTail(10, odds...).Cut(rate)
		if !known {
			t.Fatal("not known")
		}
		if 1-cut.LogOdds > rate {
			over++
		}
	}
	// Three standard errors above .05. The mean of the estimate that was taken once, the
	// rank rate (n+1) - 1, is over in 45 % of them.
	if share := float64(over) / trials; share > .065 || share < .01 {
		t.Errorf("the rate is exceeded in %v of the databases", share)
	}
}

// A rate is known from ten documents of the class and ten of all others on, and not before,
// however many there are on the other side.
func TestFewDocumentsHaveNoRate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		own, others int
		known       bool
	}{{10, 10, true}, {9, 10, false}, {10, 9, false}, {0, 1000, false}, {9, 1000, false}, {10, 1000, true}, {1000, 9, false}, {1000, 10, true}} {
		tail := newTail(test.own, make([]float64, test.others)...)
		if _, known := tail.Cut(.5); known != test.known {
			t.Errorf("%d of the class and %d others: known %v", test.own, test.others, known)
		}
	}
}

// sortedAbove is the index of the first of the sorted values above x.
func sortedAbove(values []float64, x float64) int {
	at, _ := slices.BinarySearchFunc(values, x, func(v, x float64) int {
		if v > x {
			return 1
		}
		return -1
	})
	return at
}

// A document of the class with the log-odds of the cut-off itself is not caught.
func TestCaughtAboveTheCut(t *testing.T) {
	t.Parallel()
	others := make([]Odds, 20)
	for i := range others {
		others[i] = Odds{LogOdds: float64(-i), ID: count.DocID{15: byte(i)}}
	}
	for _, own := range []float64{1, 0, 0, -1} {
		others = append(others, Odds{LogOdds: own, Own: 1})
	}
	tail := NewTail(others, 0, false)
	if tail.LogOdds[0] != 0 || tail.Caught[0] != 1 || tail.Caught[1] != 3 {
		t.Errorf("at %v: caught %v, want 1 and 3", tail.LogOdds[:2], tail.Caught[:2])
	}
}

// Documents with doubtful labels count as often as their probabilities add up to.
func TestTailOfDoubtfulLabels(t *testing.T) {
	t.Parallel()
	var docs []Odds
	for i := range 400 { // the greatest log-odds are of 100 documents, a quarter of each of other classes
		own := 0.
		if i < 100 {
			own = .75
		}
		docs = append(docs, Odds{LogOdds: float64(-i), Own: own, ID: count.DocID{15: byte(i), 14: byte(i >> 8)}})
	}
	tail := NewTail(docs, 0, false)
	if tail.Documents != 325 || tail.Own != 75 {
		t.Errorf("%d of others and %d of the class, want 325 and 75", tail.Documents, tail.Own)
	}
	if tail.LogOdds[0] != -3 || tail.LogOdds[1] != -7 {
		t.Errorf("the first of others are at %v, want -3 and -7", tail.LogOdds[:2])
	}
}
