package evaluating

import (
	"slices"
	"testing"
)

// A comma divides models, and the parameters of a model.
func TestSplitModels(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"dcm": {"dcm"}, "dcm, auto": {"dcm", "auto"}, "multinomial:log,jm=0.7,dcm": {"multinomial:log,jm=0.7", "dcm"},
		"dcm,multinomial:binary,dirichlet=1000": {"dcm", "multinomial:binary,dirichlet=1000"},
		"multinomial:log,tree":                  {"multinomial:log", "tree"}, "": {""}, "dcm,": {"dcm", ""},
	} {
		if got := splitModels(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
