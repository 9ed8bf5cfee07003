package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A Stack scores by its formula, from its components prepared one by one.
func TestStackMatchesDefinition(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(11, 12))
	k := randomCounts(rng, 60, 200)
	m := testStack()
	for _, d := range append(k.docs[:50:50], randomCounts(rng, 200, 20).docs...) {
		e := k.evidence(d)
		if len(e.Rows) == 0 {
			continue
		}
		want := []float64{.5, -1, 0}
		for _, c := range m.Components {
			one := make([]float64, 3)
			c.Model.Prepare(k.totals()).Score(e, one)
			for class, s := range one {
				want[class] += c.Weight * s / math.Pow(float64(len(e.Rows)), c.Gamma)
			}
		}
		for class, got := range k.scores(m, d) {
			if !near(got, want[class], 1e-9) {
				t.Fatalf("class %d of %v: %v, want %v", class, d.terms, got, want[class])
			}
		}
	}
}

// The order of the components makes no difference but rounding.
func TestStackOrder(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(13, 14))
	k := randomCounts(rng, 60, 200)
	m, d := testStack(), k.docs[3]
	want := k.scores(m, d)
	for range 20 {
		rng.Shuffle(len(m.Components), func(i, j int) { m.Components[i], m.Components[j] = m.Components[j], m.Components[i] })
		for class, got := range k.scores(m, d) {
			if !near(got, want[class], 1e-12) {
				t.Fatalf("class %d: %v, want %v", class, got, want[class])
			}
		}
	}
}

// The contributions of the terms, and what does not depend on them, are the score. The
// latter is the bias, and of the Bernoulli component that no term occurs.
func TestStackContributions(t *testing.T) {
	t.Parallel()
	k := randomCounts(rand.New(rand.NewPCG(15, 16)), 60, 200)
	m := testStack()
	s := m.Prepare(k.totals())
	absent := k.scores(Bernoulli{Yes: .1, No: .1}, doc(0, ""))
	for _, d := range k.docs[:20] {
		e := k.evidence(d)
		if len(e.Rows) == 0 {
			continue
		}
		scores, x := make([]float64, 3), NewContributions(e, 3)
		s.Score(e, scores)
		s.Explain(e, 1, x)
		sum := []float64{.5, -1, 0}
		for class := range sum {
			sum[class] += .05 * absent[class] / math.Sqrt(float64(len(e.Rows)))
		}
		for i := range e.Rows {
			addTimes(sum, x.Rows[i], 1)
		}
		for class := range sum {
			if !near(sum[class], scores[class], 1e-9) {
				t.Fatalf("class %d: parts sum to %v, the score is %v", class, sum[class], scores[class])
			}
		}
	}
}

// A component of weight 0 is neither prepared nor asked: here one that would
// give NaN, and one that would have levels read.
func TestStackLeavesOutWeightZero(t *testing.T) {
	t.Parallel()
	k := randomCounts(rand.New(rand.NewPCG(17, 18)), 20, 30)
	m := Stack{Components: []Component{{Model: DCM{}}, {Model: Bernoulli{Yes: -1}}, {Model: Bernoulli{}, Weight: 2}}}
	if m.Levels() {
		t.Error("a DCM of weight 0 has levels read")
	}
	got, want := k.scores(m, k.docs[5]), k.scores(Bernoulli{}, k.docs[5])
	for class := range got {
		if !near(got[class], 2*want[class], 1e-12) {
			t.Errorf("class %d: %v, want %v", class, got[class], 2*want[class])
		}
	}
	m.Components[0].Weight = 1
	if !m.Levels() {
		t.Error("a DCM of weight 1 has no levels read")
	}
}

func TestStackWithoutRows(t *testing.T) {
	t.Parallel()
	k := randomCounts(rand.New(rand.NewPCG(19, 20)), 20, 30)
	for class, s := range k.scores(testStack(), doc(0, "unknown")) {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			t.Errorf("class %d: %v", class, s)
		}
	}
}

// features are the tempered scores of the components, each in its place.
func TestFeatures(t *testing.T) {
	t.Parallel()
	k := randomCounts(rand.New(rand.NewPCG(21, 22)), 60, 200)
	m := testStack()
	e := k.evidence(k.docs[7])
	got := make([]float64, 3*len(m.Components))
	NewFeatures(m.Components, k.totals()).Score(e, 3, got)
	for i, c := range m.Components {
		want := k.scores(Stack{Components: []Component{{Model: c.Model, Gamma: c.Gamma, Weight: 1}}}, k.docs[7])
		if !slices.EqualFunc(got[3*i:3*i+3], want, func(a, b float64) bool { return near(a, b, 1e-12) }) {
			t.Errorf("component %d: %v, want %v", i, got[3*i:3*i+3], want)
		}
	}
}
