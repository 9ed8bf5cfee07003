package eval

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The probabilities were printed by scipy 1.10.1, the statistics are by hand:
//
//	from scipy.stats import binomtest, chi2
//	for b, c in (10, 3), (3, 10), (0, 5), (7, 7), (1, 23), (40, 60), (1000, 1200), (1500, 1500):
//	    n = b + c
//	    x = max(abs(b - c) - 1, 0)**2 / n
//	    print(b, c, binomtest(b, n).pvalue, chi2.sf(x, 1))
func TestMcNemar(t *testing.T) {
	for _, test := range []struct {
		m                McNemar
		corrected        float64
		exact, chiSquare float64
	}{
		{McNemar{0, 0}, 0, 1, 1},
		{McNemar{10, 3}, 36. / 13, 0.09228515625, 0.0960923294556734},
		{McNemar{3, 10}, 36. / 13, 0.09228515625, 0.0960923294556734},
		{McNemar{0, 5}, 16. / 5, 0.0625, 0.07363827012030258},
		{McNemar{7, 7}, 0, 1, 1},
		{McNemar{1, 23}, 441. / 24, 2.9802322387695312e-06, 1.814227956331882e-05},
		{McNemar{40, 60}, 361. / 100, 0.05688793364098088, 0.05743311963200335},
		{McNemar{1000, 1200}, 199. * 199 / 2200, 2.181702640791419e-05, 2.2085222894420412e-05},
		{McNemar{1500, 1500}, 0, 1, 1},
	} {
		near(t, "corrected statistic", test.m.Corrected(), test.corrected)
		near(t, "exact probability", test.m.Exact(), test.exact)
		near(t, "ratio of exact probabilities", test.m.Exact()/test.exact, 1)
		if test.m.OnlyA+test.m.OnlyB < 25 {
			near(t, "probability", test.m.P(), test.exact)
		} else {
			near(t, "probability", test.m.P(), test.chiSquare)
		}
	}
}

func TestExactIsAProbability(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := McNemar{rapid.IntRange(0, 5000).Draw(t, "a"), rapid.IntRange(0, 5000).Draw(t, "b")}
		p := m.Exact()
		if !(p >= 0 && p <= 1) || p != (McNemar{m.OnlyB, m.OnlyA}).Exact() {
			t.Fatalf("%+v: %v", m, p)
		}
		if q := (McNemar{min(m.OnlyA, m.OnlyB), max(m.OnlyA, m.OnlyB) + 1}).Exact(); q > p*(1+tolerance) {
			t.Fatalf("%+v: %v, and with one more %v", m, p, q)
		}
	})
}

// decided returns results that are right where the mark is a plus.
func decided(t *testing.T, marks string, classes ...string) *Results {
	r := NewResults(classes...)
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
	other.answers[3].ID = "other"
	class := decided(t, "+-+--++-", "ham", "spam")
	class.answers[3].Class = 0
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
	for _, a := range r.answers {
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
	if i := Bootstrap(0, b)[0]; i.Low <= 0 || i.Value != mean(b) || i.High <= i.Value {
		t.Errorf("%+v", i)
	}
}
