//go:build linux

package main

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestQuantile has the values of numpy 1.24.2: numpy.quantile(x, q), its default method.
func TestQuantile(t *testing.T) {
	x := []float64{15, 20, 35, 40, 50, 1.5, 7}
	for _, c := range []struct{ q, want float64 }{{0, 1.5}, {.25, 11}, {.5, 20}, {.9, 44}, {.95, 47}, {1, 50}} {
		if got := quantile(x, c.q); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("quantile %g: %g, want %g", c.q, got, c.want)
		}
	}
	if x[0] != 15 {
		t.Error("the argument was sorted")
	}
	if got := quantile([]float64{3}, .95); got != 3 {
		t.Errorf("of one value: %g", got)
	}
	if !math.IsNaN(median(nil)) {
		t.Error("a median of nothing")
	}
}

func TestLatency(t *testing.T) {
	var l latency
	for i := range 20 {
		l.add(cost{cpu: 2500 * time.Microsecond, wall: time.Duration(i+1) * time.Millisecond})
	}
	// Of 1 … 20: the median 10.5, at .95 × 19 = 18.05 the value 19.05.
	if got := l.cells(); got[0] != "2.5" || got[1] != "10.5" || got[2] != "19.1" {
		t.Errorf("cells %v", got)
	}
	if got := (latency{}).cells(); got[0] != "–" || got[2] != "–" {
		t.Errorf("cells of nothing %v", got)
	}
}

func TestJudge(t *testing.T) {
	documents := []document{{spam: true}, {spam: true}, {}, {}, {}}
	answers := []answer{{true, 3}, {false, 1}, {true, 2}, {false, 1}, {false, 0}}
	got := accuracyOf(answers, documents)
	// Pairs of spam and ham: 3 > 2, 1, 0; 1 < 2, 1 = 1, 1 > 0: 1.5 of 6 are wrong.
	want := accuracy{err: 40, falsePositives: 100. / 3, falseNegatives: 50, above: 25}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestAboveROC compares with the definition: every pair, ties by half.
func TestAboveROC(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		answers := make([]answer, 40)
		documents := make([]document, 40)
		for i := range answers {
			answers[i].score = float64(random.IntN(12))
			documents[i].spam = i%3 == 0
		}
		var wrong, pairs float64
		for i, d := range documents {
			for j, e := range documents {
				if !d.spam || e.spam {
					continue
				}
				pairs++
				if answers[i].score < answers[j].score {
					wrong++
				} else if answers[i].score == answers[j].score {
					wrong += .5
				}
			}
		}
		if got := aboveROC(answers, documents); math.Abs(got-wrong/pairs) > 1e-12 {
			t.Fatalf("%g, want %g", got, wrong/pairs)
		}
	}
}
