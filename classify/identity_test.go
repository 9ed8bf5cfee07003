package classify

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/model"
)

// mine is a Stack of one component, always of the same label.
func mine(m model.EventModel, weight float64) model.Stack {
	return model.Stack{Label: "mine", PriorWeight: 1, Components: []model.Component{{Model: m, Weight: weight}}}
}

// What a caller gave is used as given, raw or not, while nothing is fitted; only
// what has no weights of its own has less of them where documents are few.
func TestGivenWeightsAreUsed(t *testing.T) {
	t.Parallel()
	for _, raw := range []bool{false, true} {
		c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{Raw: raw, Model: mine(model.Multinomial{}, 1)})
		plain := &Classifier{db: c.db, analyzer: c.analyzer, options: Options{Decision: decision.MostProbable{}, Model: model.Multinomial{}, Raw: true}}
		byDefault := &Classifier{db: c.db, analyzer: c.analyzer, options: Options{Decision: decision.MostProbable{}, Model: defaultStack(), Raw: raw}}
		auto := &Classifier{db: c.db, analyzer: c.analyzer, options: Options{Decision: decision.MostProbable{}, Model: Auto{}, Raw: raw}}
		train(t, c, "a", "one two three", "one four")
		train(t, c, "b", "five six two")
		given, alone := ask(t, c, "one two"), ask(t, plain, "one two")
		if got, want := given.ProbabilityOf("a"), alone.ProbabilityOf("a"); !near(got, want, 1e-12) {
			t.Errorf("raw %t: %v with weight 1, the multinomial itself gives %v", raw, got, want)
		}
		if got, want := ask(t, byDefault, "one two"), ask(t, auto, "one two"); !slices.Equal(got.Posterior, want.Posterior) {
			t.Errorf("raw %t: the default Stack by name %v, by default %v", raw, got.Posterior, want.Posterior)
		}
	}
}

// unusable are models that a caller can pass and that cannot be asked.
func unusable() map[string]model.EventModel {
	nan, inf := math.NaN(), math.Inf(1)
	change := func(f func(*model.Stack)) model.Stack {
		s := mine(model.Multinomial{}, 1)
		f(&s)
		return s
	}
	return map[string]model.EventModel{
		"alpha below 0":           model.Multinomial{Alpha: -1},
		"bound below 0":           model.Ratio{Bound: -1},
		"yes NaN":                 model.Bernoulli{Yes: nan},
		"empty Stack":             model.Stack{},
		"no label":                change(func(s *model.Stack) { s.Label = "" }),
		"no components":           change(func(s *model.Stack) { s.Components = nil }),
		"nil component":           change(func(s *model.Stack) { s.Components[0].Model = nil }),
		"nil component, weight 0": change(func(s *model.Stack) { s.Components[0] = model.Component{} }),
		"nested":                  mine(mine(model.Multinomial{}, 1), 1),
		"component out of range":  mine(model.Normalised{Lambda: 2}, 1),
		"weight below 0":          mine(model.Multinomial{}, -1e-9),
		"weight NaN":              mine(model.Multinomial{}, nan),
		"weight infinite":         mine(model.Multinomial{}, inf),
		"gamma NaN":               change(func(s *model.Stack) { s.Components[0].Gamma = nan }),
		"gamma below 0":           change(func(s *model.Stack) { s.Components[0].Gamma = -.5 }),
		"bias NaN":                change(func(s *model.Stack) { s.Bias = []float64{0, nan} }),
		"prior weight NaN":        change(func(s *model.Stack) { s.PriorWeight = nan }),
		"prior weight below 0":    change(func(s *model.Stack) { s.PriorWeight = -1 }),
	}
}

func TestUnusableModelsAreRefused(t *testing.T) {
	t.Parallel()
	c := taught(t, 30, Options{})
	for what, m := range unusable() {
		if _, err := Open(filepath.Join(t.TempDir(), "test.polya"), Options{Model: m}); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: Open says %v", what, err)
		}
		if _, err := c.WithModel(m); err == nil {
			t.Errorf("%s: WithModel took it", what)
		}
	}
	if err := model.Check(nil); err == nil {
		t.Error("nil is a model")
	}
	for _, m := range explained() {
		if err := checkModel(m); err != nil {
			t.Error(err)
		}
	}
}
