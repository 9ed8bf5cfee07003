package classify

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
)

// Opening reads the settings, and with them the tail of the log.
func TestOpenNamesDamagedFileOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.polya")
	c, err := Open(path, Options{Fitting: FitByHand})
	if err != nil {
		t.Fatal(err)
	}
	doc := c.Document([]byte("alpha beta"))
	doc.Source = "a source in the log alone"
	trainDocuments(t, c, "a", doc)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(data, []byte(doc.Source), bytes.ToUpper([]byte(doc.Source))), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, Options{}); err == nil || strings.Count(err.Error(), path) != 1 {
		t.Errorf("a damaged record: %v", err)
	}
}

// Options that would be taken for others, or for none, are refused.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	stack := func(c model.Component) Options {
		return Options{Model: model.Stack{Label: "own", Components: []model.Component{c}}}
	}
	for want, o := range map[string]Options{
		"event model *model.DCM":         {Model: &model.DCM{}},
		"event model *model.Stack":       {Model: (*model.Stack)(nil)},
		"event model *classify.Auto":     {Model: &Auto{}},
		"event model *model.Bernoulli":   stack(model.Component{Model: &model.Bernoulli{}}),
		"event model <nil>":              stack(model.Component{Weight: 1}),
		"alpha=-1":                       stack(model.Component{Model: model.Multinomial{Alpha: -1}, Weight: 1}),
		`component "multinomial"`:        stack(model.Component{Model: model.Multinomial{}, Weight: math.NaN()}),
		`component "inner"`:              stack(model.Component{Model: model.Stack{Label: "inner"}, Weight: 1}),
		"decision *decision.Filter":      {Decision: &decision.Filter{Positive: "spam"}},
		"decision *decision.Precision":   {Decision: decision.Filter{Positive: "spam", Otherwise: &decision.Precision{Share: .9}}},
		"decision *decision.LeastCost":   {Otherwise: (*decision.LeastCost)(nil)},
		"want Options.Analyzer":          {Store: store.Options{Analyzer: "polya-7 lang=en stem=on"}},
		"want Options.Analyzer and Hold": {Store: store.Options{Tags: true}},
	} {
		c, err := OpenMemory(nil, o)
		if err == nil {
			c.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q: %v", want, err)
		}
	}
}
