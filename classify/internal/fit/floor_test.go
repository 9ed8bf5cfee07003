package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// drawn returns n answers over so many classes: scores, and labels of which a share is drawn
// evenly from all classes, and the rest as the scores say.
func drawn(rng *rand.Rand, n, classes int, evenly float64) (scores [][]float64, labels []int) {
	for range n {
		s := make([]float64, classes)
		for c := range s {
			s[c] = 12 * rng.NormFloat64()
		}
		label := rng.IntN(classes)
		if rng.Float64() >= evenly {
			p := slices.Clone(s)
			softmax(p, 0)
			u := rng.Float64()
			for label = 0; label < classes-1 && u >= p[label]; label++ {
				u -= p[label]
			}
		}
		scores, labels = append(scores, s), append(labels, label)
	}
	return scores, labels
}

func floorOf(scores [][]float64, labels []int) Floor {
	var a Answers
	for d, s := range scores {
		a.Add(s, labels[d], nil)
	}
	return a.Floor()
}

// wrong returns how many answers of a probability above .99 were wrong, and how many they
// expect themselves.
func wrong(e Floor, scores [][]float64, labels []int) (errors int, expected, loss float64) {
	for d, s := range scores {
		p := slices.Clone(s)
		Shrinkage{Floor: e}.Apply(p, 0)
		loss -= softmax(p, labels[d])
		if top := slices.Index(p, slices.Max(p)); p[top] > .99 {
			expected += 1 - p[top]
			if top != labels[d] {
				errors++
			}
		}
	}
	return errors, expected, loss
}

// Calibrated answers get no floor. If a share of answers is wrong whatever their probability,
// the floor finds that share, and other answers are then wrong no more often than they say.
func TestFloor(t *testing.T) {
	t.Parallel()
	const n = 4000
	none := 0
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		classes := 2 + rng.IntN(20)
		if floorOf(drawn(rng, n, classes, 0)) == 0 {
			none++
		}
		const evenly = .01
		e := floorOf(drawn(rng, n, classes, evenly))
		if e < evenly/2 || e > .06 {
			t.Errorf("seed %d, %d classes: floor %v", seed, classes, e)
		}
		scores, labels := drawn(rng, 10_000, classes, evenly)
		errors, expected, loss := wrong(e, scores, labels)
		if float64(errors) > 1.5*expected+3*math.Sqrt(expected) {
			t.Errorf("seed %d, %d classes: %d wrong, %v expected", seed, classes, errors, expected)
		}
		if raw, expected, before := wrong(0, scores, labels); float64(raw) < 1.5*expected || loss > before {
			t.Errorf("seed %d, %d classes: %d wrong of %v expected before; loss %v, was %v", seed, classes, raw, expected, loss, before)
		}
	}
	// One is to be expected, and more than four by chance once in 400 runs.
	if none < 16 {
		t.Errorf("no floor in %d of 20", none)
	}
}

// One document that was filed wrongly shows nothing, and a few documents little.
func TestFloorOfFew(t *testing.T) {
	t.Parallel()
	for n, most := range map[int]Floor{30: .2, 300: .07, 3000: .012} {
		var a Answers
		for range n {
			a.Add([]float64{9, 0}, 0, nil)
		}
		a.Add([]float64{0, 9}, 0, nil)
		if e := a.Floor(); e != 0 {
			t.Errorf("one of %d: %v", n, e)
		}
		a.Add([]float64{0, 9}, 0, nil)
		a.Add([]float64{0, 800}, 0, nil)
		if e := a.Floor(); float64(e) <= 2/float64(n+rightBefore) || e > most {
			t.Errorf("three of %d: %v", n, e)
		}
	}
}
