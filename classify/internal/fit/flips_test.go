package fit

import (
	"math"
	"math/rand/v2"
	"testing"
)

// mislabelled returns a sample of two classes whose log-odds are right, a share of the labels
// of each flipped, and which.
func mislabelled(rng *rand.Rand, n int, rates [2]float64) (s *Sample, wrong []bool) {
	s = &Sample{Classes: 2, Parts: 1, Prior: []float64{0, 0}, Precision: []float64{1}}
	for range n {
		x := 6 * rng.NormFloat64()
		label := 0
		if rng.Float64() < 1/(1+math.Exp(-x)) {
			label = 1
		}
		flip := rng.Float64() < rates[label]
		if flip {
			label = 1 - label
		}
		s.Labels, s.Scores = append(s.Labels, label), append(s.Scores, []float64{0, x})
		wrong = append(wrong, flip)
	}
	return s, wrong
}

// Rates of wrong labels are found, within sampling error, and none where there are none.
func TestFlips(t *testing.T) {
	t.Parallel()
	for _, rates := range [][2]float64{{0, 0}, {.02, .02}, {.05, .05}, {.1, 0}, {0, .05}} {
		for seed := range uint64(5) {
			rng := rand.New(rand.NewPCG(seed, 7))
			s, wrong := mislabelled(rng, 3000, rates)
			f := s.FindFlips([]float64{1})
			if rates == [2]float64{} {
				if f != nil {
					t.Errorf("seed %d: rates %v of right labels", seed, f.Rates)
				}
				continue
			}
			if f == nil {
				t.Errorf("seed %d: no rates, want %v", seed, rates)
				continue
			}
			for k, e := range rates {
				if math.Abs(f.Rates[k]-e) > .025 {
					t.Errorf("seed %d: rates %v, want %v", seed, f.Rates, rates)
				}
			}
			s.Flips = f
			weights, _ := s.Weights([]float64{1})
			if math.Abs(weights[0]-1) > .25 {
				t.Errorf("seed %d, rates %v: weight %v, want 1", seed, rates, weights[0])
			}
			// Who is probably mislabelled, is.
			listed, right := 0, 0
			for d, label := range s.Labels {
				p := []float64{0, weights[0] * (s.Scores[d][1] - s.Scores[d][0])}
				softmax(p, 0)
				f.Truth(p, label)
				if p[label] < .5 {
					listed++
					if wrong[d] {
						right++
					}
				}
			}
			if listed == 0 || float64(right) < .6*float64(listed) {
				t.Errorf("seed %d, rates %v: %d listed, %d of them wrong", seed, rates, listed, right)
			}
		}
	}
}

// Few documents show no rate.
func TestFlipsOfFew(t *testing.T) {
	t.Parallel()
	found := 0
	for seed := range uint64(50) {
		s, _ := mislabelled(rand.New(rand.NewPCG(seed, 9)), 30, [2]float64{})
		if s.FindFlips([]float64{1}) != nil {
			found++
		}
	}
	if found > 2 {
		t.Errorf("wrong labels in %d of 50 samples of 30 documents with right ones", found)
	}
}

// Two wrong labels in a hundred are shown by most samples of 300 documents, and next to none of right
// labels: between the two decisions would change from one calibration to the next.
func TestFlipsOfHundreds(t *testing.T) {
	t.Parallel()
	found := map[float64]int{}
	for _, rate := range []float64{0, .02} {
		for seed := range uint64(40) {
			s, _ := mislabelled(rand.New(rand.NewPCG(seed, 11)), 300, [2]float64{rate, rate})
			if s.FindFlips([]float64{1}) != nil {
				found[rate]++
			}
		}
	}
	if found[0] > 2 || found[.02] < 30 {
		t.Errorf("wrong labels in so many of 40 samples, by their rate: %v", found)
	}
}

// The probabilities of true classes follow Bayes' rule, and sum to 1.
func TestTruth(t *testing.T) {
	t.Parallel()
	f := &Flips{Rates: []float64{.1, .1, .1}, share: []float64{.5, .3, .2}}
	p := []float64{.7, .2, .1}
	log := f.Truth(p, 1)
	// Label 1 of class 0: .1 times .3/.5; of class 1: .9; of class 2: .1 times .3/.8.
	joint := []float64{.7 * .1 * .3 / .5, .2 * .9, .1 * .1 * .3 / .8}
	sum := joint[0] + joint[1] + joint[2]
	for k := range p {
		if math.Abs(p[k]-joint[k]/sum) > 1e-12 {
			t.Errorf("class %d: %v, want %v", k, p[k], joint[k]/sum)
		}
	}
	if math.Abs(log-math.Log(sum)) > 1e-12 {
		t.Errorf("likelihood %v, want %v", log, math.Log(sum))
	}
}
