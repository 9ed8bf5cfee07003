package eval

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The probabilities were printed by scipy 1.10.1:
//
//	from scipy.stats import binomtest
//	for b, c in (10, 3), (3, 10), (0, 5), (7, 7), (1, 23), (40, 60), (1000, 1200), (1500, 1500):
//	    print(b, c, binomtest(b, b + c).pvalue)
func TestMcNemar(t *testing.T) {
	for _, test := range []struct {
		m McNemar
		p float64
	}{
		{McNemar{0, 0}, 1},
		{McNemar{10, 3}, 0.09228515625},
		{McNemar{3, 10}, 0.09228515625},
		{McNemar{0, 5}, 0.0625},
		{McNemar{7, 7}, 1},
		{McNemar{1, 23}, 2.9802322387695312e-06},
		{McNemar{40, 60}, 0.05688793364098088},
		{McNemar{1000, 1200}, 2.181702640791419e-05},
		{McNemar{1500, 1500}, 1},
	} {
		near(t, "probability", test.m.P(), test.p)
		near(t, "ratio of probabilities", test.m.P()/test.p, 1)
	}
}

func TestPIsAProbability(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := McNemar{rapid.IntRange(0, 5000).Draw(t, "a"), rapid.IntRange(0, 5000).Draw(t, "b")}
		p := m.P()
		if !(p >= 0 && p <= 1) || p != (McNemar{m.OnlyB, m.OnlyA}).P() {
			t.Fatalf("%+v: %v", m, p)
		}
		if q := (McNemar{min(m.OnlyA, m.OnlyB), max(m.OnlyA, m.OnlyB) + 1}).P(); q > p*(1+tolerance) {
			t.Fatalf("%+v: %v, and with one more %v", m, p, q)
		}
	})
}

// decided returns results that are right where the mark is a plus.
func decided(t *testing.T, marks string, classes ...string) *Results {
	r := &Results{Classes: classes}
	for i, mark := range marks {
		a := Answer{ID: string(rune('a' + i)), Class: slices.Index(classes, "spam"), Posterior: []float64{.5, .5}}
		a.Said = 1 - a.Class
		if mark == '+' {
			a.Said = a.Class
		}
		if err := r.Add(a); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func TestCompareErrors(t *testing.T) {
	a := decided(t, "+++--+-+", "ham", "spam")
	b := decided(t, "+-+--++-", "spam", "ham") // classes in another order
	if m := CompareErrors(a, b); m != (McNemar{OnlyA: 2, OnlyB: 1}) {
		t.Errorf("%+v", m)
	}
	other := decided(t, "+-+--++-", "ham", "spam")
	other.Answers[3].ID = "other"
	class := decided(t, "+-+--++-", "ham", "spam")
	class.Answers[3].Class = 0
	for _, b := range []*Results{decided(t, "++", "ham", "spam"), other, class} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("other documents are compared")
				}
			}()
			CompareErrors(a, b)
		}()
	}
}

// Printed by numpy: np.quantile([1, 2, 4, 8, 16], [.025, .1, .5, .975]).tolist()
func TestQuantile(t *testing.T) {
	values := []float64{1, 2, 4, 8, 16}
	for q, want := range map[float64]float64{.025: 1.1, .1: 1.4, .5: 4, .975: 15.2, 0: 1, 1: 16} {
		near(t, "quantile", quantile(values, q), want)
	}
}

// coins returns n answers, each right with probability p.
func coins(t *testing.T, n int, p float64, seed uint64) *Results {
	random := rand.New(rand.NewPCG(seed, 1))
	var marks strings.Builder
	for range n {
		if random.Float64() < p {
			marks.WriteByte('+')
		} else {
			marks.WriteByte('-')
		}
	}
	return decided(t, marks.String(), "ham", "spam")
}

// marked returns 1 for each right answer and 0 for each wrong one.
func marked(r *Results) []float64 {
	var list []float64
	for _, a := range r.Answers {
		hit := 0.
		if a.Said == a.Class {
			hit = 1
		}
		list = append(list, hit)
	}
	return list
}

// Of 200 sets of coins about 95 % have intervals that hold the truth; fewer than 88 %
// or all of them would be a mistake.
func TestBootstrapCoverage(t *testing.T) {
	var held int
	for seed := range uint64(200) {
		i := Bootstrap(seed, marked(coins(t, 150, .7, seed)))[0]
		if i.Low <= .7 && .7 <= i.High {
			held++
		}
		if !(i.Low <= i.Value && i.Value <= i.High) {
			t.Fatalf("%+v", i)
		}
	}
	if held < 176 || held == 200 {
		t.Errorf("%d of 200 intervals hold the truth", held)
	}
}

func TestBootstrapSeed(t *testing.T) {
	values := marked(coins(t, 100, .8, 1))
	first := Bootstrap(7, values)[0]
	if again := Bootstrap(7, values)[0]; again != first {
		t.Errorf("%+v, then %+v", first, again)
	}
}

func TestBootstrapDifference(t *testing.T) {
	a, b := marked(coins(t, 400, .9, 1)), marked(coins(t, 400, .6, 2))
	for i := range b {
		b[i] = a[i] - b[i]
	}
	if i := Bootstrap(0, b)[0]; i.Low <= 0 || i.Value != Mean(b) || i.High <= i.Value {
		t.Errorf("%+v", i)
	}
}
