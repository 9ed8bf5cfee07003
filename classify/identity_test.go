package classify

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/model"
)

// The default Stack by its name answers, raw or not, as by default.
func TestStackByName(t *testing.T) {
	t.Parallel()
	for _, raw := range []bool{false, true} {
		c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{Raw: raw})
		named, err := c.WithModel(defaultStack())
		if err != nil {
			t.Fatal(err)
		}
		train(t, c, "a", "one two three", "one four")
		train(t, c, "b", "five six two")
		if got, want := ask(t, named, "one two"), ask(t, c, "one two"); !slices.Equal(got.Posterior, want.Posterior) {
			t.Errorf("raw %t: the default Stack by name %v, by default %v", raw, got.Posterior, want.Posterior)
		}
	}
}

// unusable are models that a caller can pass and that cannot be asked.
func unusable() map[string]model.EventModel {
	return map[string]model.EventModel{
		"alpha below 0": model.Multinomial{Alpha: -1},
		"bound below 0": model.Ratio{Bound: -1},
		"yes NaN":       model.Bernoulli{Yes: math.NaN()},
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
	if err := checkModel(nil); err == nil {
		t.Error("nil is a model")
	}
	for _, m := range explained() {
		if err := checkModel(m); err != nil {
			t.Error(err)
		}
	}
}
