package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The odds against an answer are the mean over the distribution of the scale, by numerical
// integration, and the floor is added to the probability of them.
func TestShrinkageByDefinition(t *testing.T) {
	t.Parallel()
	for _, v := range []float64{0, .004, .1, 1} {
		for _, e := range []Floor{0, .001, .1} {
			for _, ahead := range []float64{.1, 1, 3, 9, 20} {
				odds := math.Exp(-ahead)
				if v > 0 {
					odds = meanOdds(v, ahead)
				}
				u := odds / (1 + odds)
				want := (1-float64(e))*u + float64(e)*math.Pow(2*u, floorDecay)/2
				s := []float64{-3, ahead - 3, math.Inf(-1)}
				Shrinkage{v, e, 0}.Apply(s, 0)
				if p := 1 / (1 + math.Exp(s[1]-s[0])); math.Abs(p-want) > 1e-6*want {
					t.Errorf("variance %v, floor %v, ahead by %v: the others have %v, want %v", v, e, ahead, p, want)
				}
			}
		}
	}
}

// meanOdds is the mean of exp(-s a) over the gamma distribution of mean 1 and variance v,
// integrated over log s.
func meanOdds(v, a float64) float64 {
	shape := 1 / v
	lgamma, _ := math.Lgamma(shape)
	sum := 0.0
	const step = 1e-3
	for x := -30.; x < 10; x += step {
		s := math.Exp(x)
		sum += step * math.Exp(shape*(x+math.Log(shape))-lgamma-shape*s-s*a)
	}
	return sum
}

// A shrinkage leaves the order of the classes and the odds among the others as they were,
// takes more from surer answers, and puts those in the same order.
func TestShrinkageKeepsOrder(t *testing.T) {
	t.Parallel()
	for _, m := range []Shrinkage{{0, 1e-9, 0}, {0, .001, 0}, {0, .1, 0}, {0, 1, 0}, {1e-6, 0, 0}, {.01, 0, 0}, {1, 0, 0}, {.01, .001, 0}, {1, 1, 0}} {
		last := 0.
		for ahead := 1e-3; ahead < 2000; ahead *= 1.1 {
			s := []float64{-3, ahead - 3, math.Inf(-1)}
			m.Apply(s, 0)
			got := s[1] - s[0]
			if s[0] != -3 || !math.IsInf(s[2], -1) || !(got > last) || got > ahead {
				t.Fatalf("%+v, ahead by %v: %v after %v", m, ahead, s, last)
			}
			last = got
		}
	}
	for _, same := range [][]float64{{0, 0}, {1, .9, .8}, {math.Inf(1), 0}, {math.Inf(1), math.Inf(1)}, {math.Inf(-1), math.Inf(-1)}, {1}, {2, math.Inf(-1)}} {
		s := slices.Clone(same)
		Shrinkage{.1, .1, 0}.Apply(s, 0)
		if !slices.Equal(s, same) {
			t.Errorf("%v became %v", same, s)
		}
	}
}

// Where the scale of log-odds is drawn for each of many small samples, the variance that
// these show makes the log loss of answers less.
func TestScaleOfFew(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	var before, after float64
	for range 4000 {
		a := make([]float64, 30)
		var s Scale
		for d := range a {
			a[d] = 4 * rng.NormFloat64()
			s.Add([]float64{a[d], 0})
			s.Add([]float64{0, math.Inf(-1)}) // the only class: nothing is told
		}
		v := s.Variance()
		if v < .01 || v > .2 {
			t.Fatalf("variance %v", v)
		}
		scale := max(.1, 1+math.Sqrt(v)*rng.NormFloat64())
		for _, x := range a {
			label := 1
			if rng.Float64() < 1/(1+math.Exp(-scale*x)) {
				label = 0
			}
			scores := []float64{x, 0}
			before -= softmax(slices.Clone(scores), label)
			Shrinkage{Variance: v}.Apply(scores, 0)
			after -= softmax(scores, label)
		}
	}
	if after >= before {
		t.Errorf("log loss %v, not shrunk %v", after, before)
	}
}

// The variance is the inverse of Fisher's information where answers are many; of a few sure
// ones it allows a scale that would have one of them wrong, and of none any.
func TestVarianceOfScale(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n             int
		ahead         float64
		least, atMost float64
	}{
		{0, 0, .999, 1},
		{1, 1e-9, .999, 1},
		{1, 1e300, .999, 1},
		{24, 10, .2, .4},
		{300, 10, .1, .2},
		{30_000, 2, .99 / (30_000 * .42), 1.05 / (30_000 * .42)}, // p(1-p)a² is .42
		{1000, 4, .9 / (1000 * .2826), 1.3 / (1000 * .2826)},
	} {
		var s Scale
		for range c.n {
			s.Add([]float64{c.ahead, 0})
		}
		if v := s.Variance(); v < c.least || v > c.atMost {
			t.Errorf("%d answers of log-odds %v: variance %v", c.n, c.ahead, v)
		}
	}
}
