package classify

import (
	"testing"

	"github.com/polya-classifier/polya/classify/decision"
)

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
	c.options.Decision, c.prepared = decision.LeastCost{}, nil
	for _, text := range texts[60:] {
		want[text] = ask(t, c, text)
	}
	c.options.Decision, c.prepared = decision.LeastCost{Costs: costsOf(t, "later>a=9", "a>later=9", "gone>a=9", "a>gone=0")}, nil
	for _, text := range texts[60:] {
		if got := ask(t, c, text); got.Class != want[text].Class || got.Cost != want[text].Cost {
			t.Errorf("%q: %+v, want %+v", text, got, want[text])
		}
	}
}

func costsOf(t *testing.T, list ...string) decision.Costs {
	t.Helper()
	k, err := decision.ParseCosts(list)
	if err != nil {
		t.Fatal(err)
	}
	return k
}
