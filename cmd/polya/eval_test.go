package main

import (
	"slices"
	"testing"
)

func TestParseRates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]float64{
		"": nil, "0": {0}, "0.001": {.001}, ".1%,1%": {.001, .01}, " 5 % , 100%": {.05, 1}, "1": {1},
	} {
		got, err := parseRates(text)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"x", "-1%", "101%", "NaN", "1%,", "1,5", "inf"} {
		if got, err := parseRates(text); err == nil {
			t.Errorf("%q: no error, but %v", text, got)
		}
	}
}

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
