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

// distinct are models no two of which are the same, however similar their names.
func distinct() []Model {
	own := func(a float64) []model.Fit {
		return []model.Fit{{A: a, Docs: 100}, {A: 2 * a, Docs: 100}, {A: a, Docs: 100}}
	}
	biased, prior, tempered := mine(model.Multinomial{}, 1), mine(model.Multinomial{}, 1), mine(model.Multinomial{}, 1)
	biased.Bias = []float64{0, .5}
	prior.PriorWeight = .25
	tempered.Components[0].Gamma = .5
	return []Model{
		mine(model.Ratio{}, .8), mine(model.Ratio{}, .4), mine(model.Bernoulli{}, .01), mine(model.Multinomial{}, 1), biased, prior, tempered,
		mine(model.DCM{Fits: own(3)}, 1), mine(model.DCM{Fits: own(900)}, 1),
		model.DCM{}, model.DCM{Fits: own(3)}, model.DCM{Fits: own(900)}, model.DCM{Fits: own(math.Inf(1))}, model.DCM{Fits: []model.Fit{}},
		model.Multinomial{}, model.Bernoulli{}, Auto{}, defaultStack(), model.Single(model.Multinomial{}),
	}
}

// Models asked together say what each says in a Classifier of its own, although
// many here have one name.
func TestModelsOfOneName(t *testing.T) {
	t.Parallel()
	models := distinct()
	_, texts := lessons(66)
	for _, raw := range []bool{false, true} {
		c := taught(t, 60, Options{Raw: raw})
		var different [][]ClassProbability
		for _, text := range texts[60:] {
			together, err := c.ClassifyEach(ctx, c.Document([]byte(text)), models)
			if err != nil {
				t.Fatal(err)
			}
			for i, m := range models {
				alone := &Classifier{db: c.db, analyzer: c.analyzer, options: Options{Decision: decision.MostProbable{}, Model: m, Raw: raw}}
				want := ask(t, alone, text)
				if !slices.Equal(together[i].Posterior, want.Posterior) {
					t.Errorf("raw %t, model %d, %s, %q: %v, alone %v", raw, i, m.Name(), text, together[i].Posterior, want.Posterior)
				}
				if i < 7 && text == texts[60] {
					different = append(different, want.Posterior)
				}
			}
		}
		for i, a := range different {
			if slices.ContainsFunc(different[i+1:], func(b []ClassProbability) bool { return slices.Equal(a, b) }) {
				t.Errorf("raw %t: model %d says what another says, so that this test shows little", raw, i)
			}
		}
	}
}

func TestIdentity(t *testing.T) {
	models := distinct()
	again := distinct()
	for i, a := range models {
		if identity(a) != identity(again[i]) {
			t.Errorf("%s is not itself", a.Name())
		}
		for k, b := range models[:i] {
			if identity(a) == identity(b) {
				t.Errorf("models %d and %d, %s and %s, are taken for the same", k, i, b.Name(), a.Name())
			}
		}
	}
	for _, m := range []Model{Auto{}, model.Multinomial{}, model.Normalised{}} {
		name := testing.AllocsPerRun(100, func() { _ = m.Name() })
		if got := testing.AllocsPerRun(100, func() { _ = identity(m) }); got > name {
			t.Errorf("%s: %v allocations, its name takes %v", m.Name(), got, name)
		}
	}
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
		"pointer":                 &model.Stack{Label: "mine"},
		"nil pointer":             (*model.Multinomial)(nil),
		"alpha below 0":           model.Multinomial{Alpha: -1},
		"no such statistic":       model.Ratio{Of: 7},
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
		if _, err := c.ClassifyEach(ctx, c.Document([]byte("m1 w3")), []Model{Auto{}, m}); err == nil {
			t.Errorf("%s: ClassifyEach asked it", what)
		}
	}
	if err := model.Check(nil); err == nil {
		t.Error("nil is a model")
	}
	for _, m := range append(explained(), distinct()...) {
		if err := checkModel(m); err != nil {
			t.Error(err)
		}
	}
}

func TestNilIsAuto(t *testing.T) {
	t.Parallel()
	c := taught(t, 60, Options{})
	models := []Model{model.Multinomial{}, nil, Auto{}}
	r, err := c.ClassifyEach(ctx, c.Document([]byte("m1 w3 z1")), models)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r[1].Posterior, r[2].Posterior) || slices.Equal(r[0].Posterior, r[1].Posterior) {
		t.Errorf("nil says %v, Auto %v", r[1].Posterior, r[2].Posterior)
	}
	if models[1] != nil {
		t.Error("the caller's list was changed")
	}
}
