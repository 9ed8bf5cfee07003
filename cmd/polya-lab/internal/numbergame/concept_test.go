package numbergame

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/cmd/polya-lab/internal/concept"
)

// The likelihoods that Murphy gives in section 3.2.1: 1/6 against 1/50 for {16}, and
// 7.7e-4 against 1.6e-7 for {16, 8, 2, 64}.
func TestSizePrinciple(t *testing.T) {
	s := Murphy()
	two, even := named(t, s, "powers of 2"), named(t, s, "even")
	tests := []struct {
		data      []int
		two, even float64
	}{
		{[]int{16}, 1. / 6, 1. / 50},
		{[]int{16, 8, 2, 64}, 1. / 1296, 1. / 6250000},
	}
	for _, test := range tests {
		p := learn(t, s, test.data...)
		near(t, "powers of 2", p.Likelihood[two], test.two)
		near(t, "even", p.Likelihood[even], test.even)
	}
	if a, b := 1./1296, 1./6250000; math.Abs(a-7.7e-4) > .05e-4 || math.Abs(b-1.6e-7) > .05e-7 {
		t.Errorf("%v and %v are not Murphy's 7.7e-4 and 1.6e-7", a, b)
	}
}

// largest returns the index of the greatest value.
func largest(values []float64) int { return slices.Index(values, slices.Max(values)) }

// Murphy, section 3.2.3 and figures 3.2 and 3.3: the posterior of {16} peaks at powers
// of 4, that of {16, 8, 2, 64} at powers of 2; the likelihood of the latter at powers
// of 2 except 32, which the prior keeps down.
func TestPeaks(t *testing.T) {
	s := Murphy()
	if len(s.Hypotheses) != 32 {
		t.Fatalf("%d hypotheses, Murphy has 32", len(s.Hypotheses))
	}
	one := learn(t, s, 16)
	if name := s.Hypotheses[largest(one.Prob)].Name; name != "powers of 4" {
		t.Errorf("{16} peaks at %s", name)
	}
	four := learn(t, s, 16, 8, 2, 64)
	if name := s.Hypotheses[largest(four.Prob)].Name; name != "powers of 2" {
		t.Errorf("{16, 8, 2, 64} peaks at %s", name)
	}
	if name := s.Hypotheses[largest(four.Likelihood)].Name; name != "powers of 2, except 32" {
		t.Errorf("{16, 8, 2, 64} is likeliest as %s", name)
	}
}

// By hand for {16} with Murphy's prior: the hypotheses that hold 16 are even .5/50,
// squares .1/10, multiples of 4 .1/25, of 8 .1/12, ends in 6 .1/10, powers of 2
// .1/6, of 4 .1/3, all .1/100, powers of 2 plus 37 .001/7, except 32 .001/5.
func TestPosteriorByHand(t *testing.T) {
	weights := map[string]float64{
		"even": .5 / 50, "squares": .1 / 10, "multiples of 4": .1 / 25, "multiples of 8": .1 / 12, "ends in 6": .1 / 10,
		"powers of 2": .1 / 6, "powers of 4": .1 / 3, "all": .1 / 100, "powers of 2, plus 37": .001 / 7, "powers of 2, except 32": .001 / 5,
	}
	sum := 0.0
	for _, name := range []string{"even", "squares", "multiples of 4", "multiples of 8", "ends in 6",
		"powers of 2", "powers of 4", "all", "powers of 2, plus 37", "powers of 2, except 32"} {
		sum += weights[name]
	}
	s := Murphy()
	p := learn(t, s, 16)
	for i, h := range s.Hypotheses {
		near(t, h.Name, p.Prob[i], weights[h.Name]/sum)
	}
	// 4 is in even, squares, multiples of 4, powers of 2, of 4, all, and both others.
	want := 1 - (weights["multiples of 8"]+weights["ends in 6"])/sum
	near(t, "predictive of 4", p.Predict(4), want)
}

// Against sums of products as the formulas say, over both spaces and random data.
func TestBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range []*concept.Space[int]{Murphy(), Tenenbaum()} {
		for range 20 {
			data := make([]int, r.IntN(6))
			from := membersOf(s.Hypotheses[r.IntN(len(s.Hypotheses))]) // so that something fits
			for i := range data {
				data[i] = from[r.IntN(len(from))]
			}
			compare(t, s, data)
		}
	}
}

func membersOf(h concept.Hypothesis[int]) (members []int) {
	for n := range 2 * Numbers {
		if h.Has(n) {
			members = append(members, n)
		}
	}
	return members
}

// compare computes posterior and predictive without logarithms.
func compare(t *testing.T, s *concept.Space[int], data []int) {
	t.Helper()
	joint, sum := make([]float64, len(s.Hypotheses)), 0.0
	for i, h := range s.Hypotheses {
		joint[i] = h.Prior
		size := float64(len(membersOf(h)))
		for _, n := range data {
			if !h.Has(n) {
				joint[i] = 0
			}
			joint[i] /= size
		}
		sum += joint[i]
	}
	p := learn(t, s, data...)
	for i := range joint {
		near(t, s.Hypotheses[i].Name, p.Prob[i], joint[i]/sum)
	}
	for n := 1; n <= Numbers; n += 7 {
		want := 0.0
		for i, h := range s.Hypotheses {
			if h.Has(n) {
				want += joint[i] / sum
			}
		}
		near(t, "predictive", p.Predict(n), want)
	}
}

// The prior of Tenenbaum's space: 34 rules have 2/3, and 5,050 intervals 1/3, as l exp(-l/10).
func TestPriorOfTenenbaum(t *testing.T) {
	s, sums := Tenenbaum(), [2]float64{}
	for i, h := range s.Hypotheses {
		sums[min(i/34, 1)] += h.Prior
	}
	near(t, "rules", sums[0], 2./3)
	near(t, "intervals", sums[1], 1./3)
	one, three := s.Hypotheses[named(t, s, "from 5 to 5")], s.Hypotheses[named(t, s, "from 5 to 7")]
	near(t, "length 3 to 1", three.Prior/one.Prior, 3*math.Exp(-.2))
	if len(s.Hypotheses) != 34+5050 {
		t.Errorf("%d hypotheses", len(s.Hypotheses))
	}
}

// With noise, against the formula of the package comment.
func TestNoise(t *testing.T) {
	s := &concept.Space[int]{
		Noise: .1, Objects: 10,
		Hypotheses: []concept.Hypothesis[int]{
			{Name: "low", Size: 2, Prior: 1, Has: func(n int) bool { return n < 3 }},
			{Name: "all", Size: 10, Prior: 1, Has: func(int) bool { return true }},
		},
	}
	p := learn(t, s, 1, 2, 7)
	low, all := (.9/2+.01)*(.9/2+.01)*.01, .1*.1*.1
	near(t, "low", p.Prob[0], low/(low+all))
	near(t, "all", p.Prob[1], all/(low+all))
	near(t, "predictive", p.Predict(9), all/(low+all))
	// A distribution over objects: 2 in the set, 8 outside.
	inside, outside := learn(t, s, 1), learn(t, s, 9)
	near(t, "sum", 2*inside.Likelihood[0]+8*outside.Likelihood[0], 1)
}

// The order of the examples changes not a bit, and probabilities sum to 1.
func TestOrderAndSum(t *testing.T) {
	noisy := Murphy()
	noisy.Noise, noisy.Objects = .05, Numbers
	r := rand.New(rand.NewPCG(3, 4))
	for _, s := range []*concept.Space[int]{Murphy(), Tenenbaum(), noisy} {
		for range 10 {
			data := []int{16, 8, 2, 64, 16, 4, 2}[:1+r.IntN(7)]
			first := learn(t, s, data...)
			sum := 0.0
			for i := range first.Prob {
				sum += first.Prob[i]
			}
			near(t, "sum", sum, 1)
			shuffled := append([]int(nil), data...)
			r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			second := learn(t, s, shuffled...)
			for i := range first.Prob {
				if first.Prob[i] != second.Prob[i] {
					t.Fatalf("%v and %v differ at %s", data, shuffled, s.Hypotheses[i].Name)
				}
			}
			if first.Predict(32) != second.Predict(32) {
				t.Fatalf("%v and %v differ", data, shuffled)
			}
		}
	}
}

// Thousands of examples are far below the least float64 as a product.
func TestNoUnderflow(t *testing.T) {
	s := Murphy()
	data := make([]int, 10000)
	for i := range data {
		data[i] = []int{2, 4, 8, 16, 32, 64}[i%6]
	}
	p := learn(t, s, data...)
	if largest(p.Prob) != named(t, s, "powers of 2") || p.Prob[largest(p.Prob)] != 1 || p.Predict(64) != 1 || p.Predict(63) != 0 {
		t.Errorf("MAP %s with %v", s.Hypotheses[largest(p.Prob)].Name, p.Prob[largest(p.Prob)])
	}
}

func TestWithoutExamples(t *testing.T) {
	s := Murphy()
	p := learn(t, s)
	near(t, "even", p.Prob[named(t, s, "even")], .5/3.802)
}

func TestNoFit(t *testing.T) {
	s := Murphy()
	if _, err := s.Learn(101); !errors.Is(err, concept.ErrNoFit) {
		t.Errorf("101 gives %v", err)
	}
	all := named(t, s, "all")
	s.Hypotheses[all].Prior = 0 // only "all" holds both
	if _, err := s.Learn(23, 60); !errors.Is(err, concept.ErrNoFit) {
		t.Errorf("23 and 60 give %v", err)
	}
	s.Noise, s.Objects = .01, Numbers
	p := learn(t, s, 23, 60)
	if p.Prob[all] != 0 {
		t.Error("a hypothesis that the prior leaves out is probable")
	}
}

// near compares with a relative tolerance of 1e-12; less than 1e-15 is rounding.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12*math.Abs(want)+1e-15) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
