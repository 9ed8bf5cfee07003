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
		near(t, "powers of 2", math.Exp(p.LogLikelihood[two]), test.two)
		near(t, "even", math.Exp(p.LogLikelihood[even]), test.even)
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
	if name := s.Hypotheses[largest(one.LogProb)].Name; name != "powers of 4" {
		t.Errorf("{16} peaks at %s", name)
	}
	four := learn(t, s, 16, 8, 2, 64)
	if name := s.Hypotheses[largest(four.LogProb)].Name; name != "powers of 2" {
		t.Errorf("{16, 8, 2, 64} peaks at %s", name)
	}
	if name := s.Hypotheses[largest(four.LogLikelihood)].Name; name != "powers of 2, except 32" {
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
		near(t, h.Name, p.Prob(i), weights[h.Name]/sum)
	}
	// 4 is in even, squares, multiples of 4, powers of 2, of 4, all, and both others.
	want := 1 - (weights["multiples of 8"]+weights["ends in 6"])/sum
	near(t, "predictive of 4", p.Predict(4), want)
	near(t, "evidence", p.LogEvidence, math.Log(sum/(2*.5+28*.1+2*.001)))
}

// Against sums of products as the formulas say, over both spaces and random data.
func TestBruteForce(t *testing.T) {
	large, logPrior, err := tenenbaum()
	if err != nil {
		t.Fatal(err)
	}
	small, prior := murphy()
	priors := [][]float64{prior, make([]float64, len(logPrior))}
	for i, l := range logPrior {
		priors[1][i] = math.Exp(l)
	}
	other, err := Tenenbaum()
	if err != nil {
		t.Fatal(err)
	}
	spaces := []*concept.Space[int]{Murphy(), other}
	r := rand.New(rand.NewPCG(1, 2))
	for k, list := range [][]set{small, large} {
		for range 20 {
			data := make([]int, r.IntN(6))
			from := list[r.IntN(len(list))].members // so that something fits
			for i := range data {
				data[i] = from[r.IntN(len(from))]
			}
			compare(t, spaces[k], list, priors[k], data)
		}
	}
}

// compare computes posterior and predictive without logarithms.
func compare(t *testing.T, s *concept.Space[int], list []set, prior []float64, data []int) {
	t.Helper()
	contains := func(h set, n int) bool {
		for _, m := range h.members {
			if m == n {
				return true
			}
		}
		return false
	}
	joint, sum := make([]float64, len(list)), 0.0
	for i, h := range list {
		joint[i] = prior[i]
		for _, n := range data {
			if !contains(h, n) {
				joint[i] = 0
			}
			joint[i] /= float64(len(h.members))
		}
		sum += joint[i]
	}
	p := learn(t, s, data...)
	for i := range list {
		near(t, list[i].name, p.Prob(i), joint[i]/sum)
	}
	for n := 1; n <= Numbers; n += 7 {
		want := 0.0
		for i, h := range list {
			if contains(h, n) {
				want += joint[i] / sum
			}
		}
		near(t, "predictive", p.Predict(n), want)
	}
}

// With noise, against the formula of the package comment.
func TestNoise(t *testing.T) {
	s := &concept.Space[int]{
		Noise: .1, Objects: 10,
		Hypotheses: []concept.Hypothesis[int]{
			{Name: "low", Size: 2, Has: func(n int) bool { return n < 3 }},
			{Name: "all", Size: 10, Has: func(int) bool { return true }},
		},
	}
	p := learn(t, s, 1, 2, 7)
	low, all := (.9/2+.01)*(.9/2+.01)*.01, .1*.1*.1
	near(t, "low", p.Prob(0), low/(low+all))
	near(t, "all", p.Prob(1), all/(low+all))
	near(t, "predictive", p.Predict(9), all/(low+all))
	// A distribution over objects: 2 in the set, 8 outside.
	inside, outside := learn(t, s, 1), learn(t, s, 9)
	near(t, "sum", 2*math.Exp(inside.LogLikelihood[0])+8*math.Exp(outside.LogLikelihood[0]), 1)
}

// The order of the examples changes not a bit, and probabilities sum to 1.
func TestOrderAndSum(t *testing.T) {
	large, err := Tenenbaum()
	if err != nil {
		t.Fatal(err)
	}
	noisy := Murphy()
	noisy.Noise, noisy.Objects = .05, Numbers
	r := rand.New(rand.NewPCG(3, 4))
	for _, s := range []*concept.Space[int]{Murphy(), large, noisy} {
		for range 10 {
			data := []int{16, 8, 2, 64, 16, 4, 2}[:1+r.IntN(7)]
			first := learn(t, s, data...)
			sum := 0.0
			for i := range first.LogProb {
				sum += first.Prob(i)
			}
			near(t, "sum", sum, 1)
			shuffled := append([]int(nil), data...)
			r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			second := learn(t, s, shuffled...)
			for i := range first.LogProb {
				if first.LogProb[i] != second.LogProb[i] {
					t.Fatalf("%v and %v differ at %s", data, shuffled, s.Hypotheses[i].Name)
				}
			}
			if first.LogEvidence != second.LogEvidence || first.Predict(32) != second.Predict(32) {
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
	if largest(p.LogProb) != named(t, s, "powers of 2") || p.Prob(largest(p.LogProb)) != 1 || p.Predict(64) != 1 || p.Predict(63) != 0 {
		t.Errorf("MAP %s with %v", s.Hypotheses[largest(p.LogProb)].Name, p.Prob(largest(p.LogProb)))
	}
}

func TestWithoutExamples(t *testing.T) {
	s := Murphy()
	p := learn(t, s)
	near(t, "even", p.Prob(named(t, s, "even")), .5/3.802)
	near(t, "evidence", p.LogEvidence, 0)
}

func TestNoFit(t *testing.T) {
	s := Murphy()
	if _, err := s.Learn(101); !errors.Is(err, concept.ErrNoFit) {
		t.Errorf("101 gives %v", err)
	}
	all := named(t, s, "all")
	s.LogPrior[all] = math.Inf(-1) // only "all" holds both
	if _, err := s.Learn(23, 60); !errors.Is(err, concept.ErrNoFit) {
		t.Errorf("23 and 60 give %v", err)
	}
	s.Noise, s.Objects = .01, Numbers
	p := learn(t, s, 23, 60)
	if p.Prob(all) != 0 {
		t.Error("a hypothesis that the prior leaves out is probable")
	}
}

func TestRefusedSpaces(t *testing.T) {
	has := func(int) bool { return true }
	one := []concept.Hypothesis[int]{{Name: "a", Size: 3, Has: has}}
	sized := func(size float64) []concept.Hypothesis[int] { return []concept.Hypothesis[int]{{Size: size, Has: has}} }
	for i, s := range []*concept.Space[int]{
		{},
		{Hypotheses: sized(0)}, {Hypotheses: sized(-1)}, {Hypotheses: sized(math.NaN())}, {Hypotheses: sized(math.Inf(1))},
		{Hypotheses: one, LogPrior: []float64{0, 0}},
		{Hypotheses: one, LogPrior: []float64{math.NaN()}},
		{Hypotheses: one, LogPrior: []float64{math.Inf(1)}},
		{Hypotheses: one, LogPrior: []float64{math.Inf(-1)}},
		{Hypotheses: one, Noise: -.1}, {Hypotheses: one, Noise: 1}, {Hypotheses: one, Noise: math.NaN()},
		{Hypotheses: one, Noise: .1}, {Hypotheses: one, Noise: .1, Objects: 2}, {Hypotheses: one, Noise: .1, Objects: math.Inf(1)},
	} {
		if _, err := s.Learn(1); err == nil || errors.Is(err, concept.ErrNoFit) {
			t.Errorf("space %d gives %v", i, err)
		}
	}
}

func TestMixture(t *testing.T) {
	got, err := concept.Mixture([]float64{3, 1}, []float64{1, 1, 0, 0}, []float64{0, 2, 6, 0})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{.375, .375 + .0625, .1875, 0} {
		near(t, "mixture", math.Exp(got[i]), want)
	}
	huge, err := concept.Mixture([]float64{1}, []float64{math.MaxFloat64, math.MaxFloat64})
	if err != nil || math.Abs(math.Exp(huge[0])-.5) > 1e-15 {
		t.Errorf("large Numbers give %v, %v", huge, err)
	}
	one := []float64{1}
	for i, bad := range []struct {
		weights []float64
		priors  [][]float64
	}{
		{nil, nil}, {one, nil}, {one, [][]float64{{0}}}, {[]float64{0}, [][]float64{one}}, {one, [][]float64{{-1, 2}}},
		{one, [][]float64{{math.NaN()}}}, {one, [][]float64{{math.Inf(1)}}}, {[]float64{1, 1}, [][]float64{one, {1, 1}}}, {one, [][]float64{{}}},
	} {
		if got, err := concept.Mixture(bad.weights, bad.priors...); err == nil {
			t.Errorf("mixture %d gives %v", i, got)
		}
	}
}

// near compares with a relative tolerance of 1e-12; less than 1e-15 is rounding.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12*math.Abs(want)+1e-15) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
