package eval

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// By hand, with five bins of the top probability:
//
//	top    .55 .6 | .65 .8 | .9 1.0     bins (.4,.6] (.6,.8] (.8,1]
//	right   1  0     1  0    1   1
//
//	bin    probability  frequency  gap   weight
//	(.4,.6]   .575         .5     .075   1/3
//	(.6,.8]   .725         .5     .225   1/3
//	(.8,1]    .95         1        .05    1/3
//
// so that the calibration error is .35/3.
func TestECEByHand(t *testing.T) {
	r := &Results{Classes: []string{"ham", "spam"}}
	add(t, r, 0, .55, .45)
	add(t, r, 0, .4, .6)
	add(t, r, 1, .35, .65)
	add(t, r, 1, .8, .2)
	add(t, r, 0, .9, .1)
	add(t, r, 1, 0, 1)
	diagram := r.Reliability(5)
	for i, want := range []Bin{{High: .2}, {Low: .2, High: .4}, {.4, .6, 2, .575, .5, 0, 0}, {.6, .8, 2, .725, .5, 0, 0}, {.8, 1, 2, .95, 1, 0, 0}} {
		got := diagram[i]
		if got.Docs != want.Docs {
			t.Errorf("bin %d holds %d, want %d", i, got.Docs, want.Docs)
		}
		near(t, "low", got.Low, want.Low)
		near(t, "high", got.High, want.High)
		near(t, "probability", got.Probability, want.Probability)
		near(t, "frequency", got.Frequency, want.Frequency)
	}
	near(t, "calibration error", diagram.ECE(), .35/3)
	// In 15 bins .55 and .6 share (8/15, 9/15], the others are alone.
	near(t, "ECE", r.ECE(), (2*.075+.35+.8+.1+0)/6)
}

// What is decided at another threshold leaves calibration as it is.
func TestReliabilityIgnoresDecision(t *testing.T) {
	r := &Results{Classes: []string{"ham", "spam"}}
	if err := r.Add(Answer{Class: 1, Said: 0, Posterior: []float64{.1, .9}}); err != nil {
		t.Fatal(err)
	}
	near(t, "ECE", r.ECE(), .1)
}

func TestBinsHoldTheirBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bins := rapid.IntRange(1, 200).Draw(t, "bins")
		diagram := new(Results).Reliability(bins)
		p := rapid.OneOf(
			rapid.Float64Range(0, 1),
			rapid.Just(1+1e-9), // rounded elsewhere
		).Draw(t, "p")
		bin := diagram.find(p)
		if q := math.Min(p, 1); q > bin.High || q <= bin.Low && bin.Low > 0 {
			t.Fatalf("%v is in (%v, %v]", p, bin.Low, bin.High)
		}
	})
}

// 7/25·25 is rounded to more than 7, 15/22·22 to less than 15.
func TestBinsHoldTheirHigh(t *testing.T) {
	for bins := 1; bins <= 300; bins++ {
		diagram := new(Results).Reliability(bins)
		for b := range diagram {
			if got := diagram.find(diagram[b].High); got != &diagram[b] {
				t.Errorf("%v is in (%v, %v]", diagram[b].High, got.Low, got.High)
			}
		}
	}
}

// Honest probabilities lose less than others, whatever they are.
func TestProperScores(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spam, docs := rapid.IntRange(0, 20).Draw(t, "spam"), 20
		loss := func(p float64) (log, brier float64) {
			r := &Results{Classes: []string{"ham", "spam"}}
			for i := range docs {
				class := 0
				if i < spam {
					class = 1
				}
				add(t, r, class, 1-p, p)
			}
			return r.LogLoss(), r.Brier()
		}
		honestLog, honestBrier := loss(float64(spam) / float64(docs))
		log, brier := loss(rapid.Float64Range(0, 1).Draw(t, "p"))
		if log < honestLog-tolerance || brier < honestBrier-tolerance {
			t.Fatalf("losses %v and %v, honest ones %v and %v", log, brier, honestLog, honestBrier)
		}
	})
}

func TestClippedLogLoss(t *testing.T) {
	r := &Results{Classes: []string{"ham", "spam"}}
	add(t, r, 1, 1, 0)
	add(t, r, 1, 0, 1)
	near(t, "clipped at 2^-52", r.LogLoss(), (52*math.Ln2-math.Log1p(-Epsilon))/2)
}
