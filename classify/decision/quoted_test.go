package decision_test

import (
	"maps"
	"testing"

	"github.com/polya-classifier/polya/classify/decision"
)

// Classes with any characters in their names can be named in costs and priors.
func TestQuotedClasses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		`ham>spam=1`: {"ham", "spam"}, `"a>b">spam=1`: {"a>b", "spam"}, `"a>b">"c>d"=1`: {"a>b", "c>d"}, `ham>"c>d"=1`: {"ham", "c>d"},
		`a>b>c=1`: {"a", "b>c"}, `a,b>c=1`: {"a,b", "c"}, `"a=1">b=1`: {"a=1", "b"}, `"\"">b=1`: {`"`, "b"}, `"a>b=1`: {`"a`, "b"}, `a>"b=1`: {"a", `"b`},
	} {
		k, err := decision.ParseCosts([]string{text})
		if err != nil || !maps.Equal(k.Pairs, map[[2]string]float64{want: 1}) {
			t.Errorf("%s: %v, %v", text, k, err)
		}
	}
	for _, text := range []string{`"a">=1`, `>"a"=1`, `"a>b"=1`, `"a" > "b"=1`[:4]} {
		if k, err := decision.ParseCosts([]string{text}); err == nil {
			t.Errorf("%s: %v", text, k.Pairs)
		}
	}
	for text, want := range map[string]map[string]float64{
		`a=.5`: {"a": .5}, `a=.5,b=.25`: {"a": .5, "b": .25}, `"a,b"=.5,c=.25`: {"a,b": .5, "c": .25}, `c=.25,"a=1,b"=.5`: {"c": .25, "a=1,b": .5},
		`a=b=.5`: {"a=b": .5}, `"a=.5`: {`"a`: .5},
	} {
		p, err := decision.ParsePrior(text)
		if err != nil || !maps.Equal(p.Given, want) {
			t.Errorf("%s: %v, %v", text, p.Given, err)
		}
	}
	for _, text := range []string{`a`, `=.5`, `"a"`, `a=.5,`, `"a,b"=x`} {
		if p, err := decision.ParsePrior(text); err == nil {
			t.Errorf("%s: %v", text, p.Given)
		}
	}
}
