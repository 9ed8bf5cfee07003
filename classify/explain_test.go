package classify

import (
	"fmt"
	"math"
	"testing"

	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// explained are the models that explanations are tested with.
func explained() []Model {
	var all []Model
	for _, m := range model.Models() {
		all = append(all, m)
	}
	return append(all, Auto{}, defaultStack(), testStack(), model.Ratio{}, model.Ratio{Documents: true, Alpha: .1, Bound: 2})
}

// checkParts holds that the parts of an explanation add up to its log-odds.
func checkParts(t *testing.T, what string, e Explanation) {
	t.Helper()
	sum := e.Prior.LogOdds + e.Length.LogOdds + e.Recent.LogOdds - e.Spread
	for _, term := range e.Terms {
		sum += term.LogOdds
		if len(term.LogLikelihoods) != len(e.Classes) {
			t.Fatalf("%s: %d weights of %d classes", what, len(term.LogLikelihoods), len(e.Classes))
		}
	}
	for _, a := range e.Attributes {
		sum += a.LogOdds
		if len(a.LogLikelihoods) != len(e.Classes) {
			t.Fatalf("%s: %d weights of %d classes", what, len(a.LogLikelihoods), len(e.Classes))
		}
	}
	if !(math.Abs(sum-e.LogOdds) <= 1e-9*(1+math.Abs(sum))) {
		t.Errorf("%s: the parts add up to %v, the log-odds are %v", what, sum, e.LogOdds)
	}
}

// wordsAmong returns the number of terms that are not of a channel.
func wordsAmong(terms []TermContribution) (n int) {
	for _, t := range terms {
		if !count.OfChannel([]byte(t.Term)) {
			n++
		}
	}
	return n
}

// Explanations add up for every model, raw and calibrated, and say what
// Classify says.
func TestEveryExplanationAddsUp(t *testing.T) {
	t.Parallel()
	_, texts := lessons(70)
	for _, raw := range []bool{false, true} {
		c := taught(t, 60, Options{Raw: raw})
		train(t, c, "gone", "something")
		if _, err := c.Forget(ctx, c.Document([]byte("something"))); err != nil {
			t.Fatal(err)
		}
		calibrated(t, c, explained()...)
		for _, m := range explained() {
			c.options.Model, c.prepared = m, nil
			for _, text := range append(texts[55:], "", "unknown", "m1", "m1 unknown z1 z1 z1 z1 z1 z1 z1 z1 a1") {
				e, err := c.Explain(ctx, c.Document([]byte(text)))
				if err != nil {
					t.Fatal(err)
				}
				what := fmt.Sprintf("%s, raw %t, %q", m.Name(), raw, text)
				checkParts(t, what, e)
				if r := ask(t, c, text); r.LogOdds != e.LogOdds || r.Class != e.Class || wordsAmong(e.Terms) != r.Terms || len(e.Classes) != 3 {
					t.Errorf("%s: explained %+v, answered %+v", what, e.Result, r)
				}
			}
		}
	}
}

// What a document begins with is the prior: the log prior and, of a Stack, the
// bias. Models that know neither lengths nor
// what a document lacks have nothing beside.
func TestExplainedPrior(t *testing.T) {
	t.Parallel()
	c := taught(t, 60, Options{})
	bias := []float64{.75, -2, 0}
	learned := []float64{math.Log(13. / 63), math.Log(25. / 63), math.Log(25. / 63)} // 12, 24 and 24 documents, each and one more
	stack := model.Stack{Label: "biased", Bias: bias, Components: []model.Component{{Model: model.Ratio{}, Weight: .5}, {Model: model.Normalised{}, Weight: 1}}}
	c.options.Raw = true
	c.options.Model, c.prepared = stack, nil
	e, err := c.Explain(ctx, c.Document([]byte("m1 w3 z1 z2")))
	if err != nil {
		t.Fatal(err)
	}
	begin := make([]float64, 3)
	for i := range begin {
		begin[i] = bias[i] + learned[i]
	}
	mean := (begin[0] + begin[1] + begin[2]) / 3
	for i, w := range e.Prior.LogLikelihoods {
		if want := begin[i] - mean; !near(w, want, 1e-12) {
			t.Errorf("prior of %s: %v, want %v", e.Classes[i], w, want)
		}
		if l := e.Length.LogLikelihoods[i]; math.Abs(l) > 1e-12 {
			t.Errorf("length of %s: %v, want nothing", e.Classes[i], l)
		}
	}
	totals := model.Totals{}
	if err := c.db.View(func(s *store.Snapshot) error { totals = totalsOf(s); return nil }); err != nil {
		t.Fatal(err)
	}
	p := &prepared{classes: totals.Classes, priorOnly: []float64{7, 8, 9}}
	checkNear(t, "the prior of an unread document", new(question).contributions(p).Start, p.priorOnly, 0)
}
