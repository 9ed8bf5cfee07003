package classify

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// costOf is the cost of answering a class for a document of class truth.
func costOf(k *Costs, truth, said string) float64 {
	if cost, listed := k.Pairs[[2]string{truth, said}]; listed {
		return cost
	}
	if truth == said {
		return 0
	}
	return 1
}

// plainCost is the double sum of the definition.
func plainCost(k *Costs, a *answer, said int) float64 {
	sum := 0.0
	for truth, p := range a.probabilities {
		sum += p * costOf(k, a.classes[truth].Name, a.classes[said].Name)
	}
	return sum
}

// Expected costs are those of the plain sum over all classes, and so is the class
// answered, be few pairs listed or all, and also where next to nothing is left
// that costs 1.
func TestExpectedCostIsThePlainSum(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(31, 32))
	for range 3000 {
		p := make([]float64, 1+rng.IntN(12))
		sum, sharp := 0.0, 1+20*rng.Float64()
		for c := range p {
			p[c] = math.Exp(sharp * rng.NormFloat64())
			sum += p[c]
		}
		for c := range p {
			p[c] /= sum
		}
		a := answerOf(p...)
		k := &Costs{Pairs: map[[2]string]float64{{"nobody", "a"}: 5, {"a", "nobody"}: 5}}
		share := rng.Float64()
		for _, truth := range a.classes {
			for _, said := range a.classes {
				if rng.Float64() < share {
					k.Pairs[[2]string{truth.Name, said.Name}] = []float64{0, 1, .3, 10, 1e6}[rng.IntN(5)]
				}
			}
		}
		table := newCostTable(k, a.classes)
		least := math.Inf(1)
		for said := range a.classes {
			got, want := table.expected(p, said), plainCost(k, a, said)
			if !(math.Abs(got-want) <= 1e-13*want) { // relative, so that all of what is small is right
				t.Fatalf("%v, %v, saying %d: %v, want %v", p, k.Pairs, said, got, want)
			}
			least = min(least, want)
		}
		if class, _ := decide(LeastCost{Costs: *k}, a); !near(plainCost(k, a, class), least, 1e-13) {
			t.Fatalf("%v, %v: class %d costs %v, the least is %v", p, k.Pairs, class, plainCost(k, a, class), least)
		}
	}
}

// An answer among many classes looks at the pairs listed, and at all classes only
// for those of which that leaves few digits.
func TestCostsOfManyClasses(t *testing.T) {
	t.Parallel()
	const classes = 3000
	a := &answer{}
	for c := range classes {
		a.classes = append(a.classes, &count.Class{Name: string(rune('a' + c))})
		a.probabilities = append(a.probabilities, 1./classes)
	}
	table := newCostTable(&Costs{Pairs: map[[2]string]float64{{"b", "a"}: 3}}, a.classes)
	if len(table.listed) != 1 || len(table.listed[0]) != 1 {
		t.Fatalf("%v", table.listed)
	}
	for said, want := range map[int]float64{0: (classes - 2 + 3.) / classes, 1: (classes - 1.) / classes, classes - 1: (classes - 1.) / classes} {
		if got := table.expected(a.probabilities, said); !near(got, want, 1e-12) {
			t.Errorf("saying %d costs %v, want %v", said, got, want)
		}
	}
}

// The error is of the first pair or class by name, whatever the order of the map.
func TestErrorsAreInOrder(t *testing.T) {
	t.Parallel()
	k := &Costs{Pairs: make(map[[2]string]float64)}
	p := Prior{Given: make(map[string]float64)}
	for c := 'b'; c < 'p'; c++ {
		k.Pairs[[2]string{"m", string(c)}], k.Pairs[[2]string{"l", string(c)}] = -1, -1
		p.Given[string(c)] = 7
	}
	for range 20 {
		if err := k.check(); err == nil || !strings.Contains(err.Error(), "saying b of a document of l") {
			t.Fatalf("costs: %v", err)
		}
		if err := p.check(); err == nil || !strings.Contains(err.Error(), "prior of b") {
			t.Fatalf("prior: %v", err)
		}
	}
}

// Costs of classes that are not there, or have no documents, have no effect.
func TestCostsOfUnknownClasses(t *testing.T) {
	t.Parallel()
	c := taught(t, 60, Options{})
	train(t, c, "gone", "something")
	if _, err := c.Forget(ctx, c.Document([]byte("something"))); err != nil {
		t.Fatal(err)
	}
	want := map[string]Result{}
	_, texts := lessons(66)
	c.decision, c.prepared = LeastCost{}, nil
	for _, text := range texts[60:] {
		want[text] = ask(t, c, text)
	}
	c.decision, c.prepared = LeastCost{Costs: costs(t, "later>a=9", "a>later=9", "gone>a=9", "a>gone=0")}, nil
	for _, text := range texts[60:] {
		if got := ask(t, c, text); got.Class != want[text].Class || got.Cost != want[text].Cost {
			t.Errorf("%q: %+v, want %+v", text, got, want[text])
		}
	}
}
