package evaluation

import (
	"slices"
	"testing"

	"github.com/polya-classifier/polya/classify"
)

// A comma divides models, and the parameters of a model.
func TestSplitModels(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"dcm": {"dcm"}, "dcm, auto": {"dcm", "auto"}, "bernoulli:yes=1,no=0.7,dcm": {"bernoulli:yes=1,no=0.7", "dcm"},
		"dcm,ratio:documents,bound=2": {"dcm", "ratio:documents,bound=2"},
		"ratio:documents,tree":        {"ratio:documents", "tree"}, "": {""}, "dcm,": {"dcm", ""},
	} {
		if got := splitModels(text, classify.ParseModel); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
