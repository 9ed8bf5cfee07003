package model

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// TestParse lists names with the models that they stand for. Each is the
// name of its model.
func TestParse(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]EventModel{
		"multinomial":               Multinomial{},
		"multinomial:alpha=0.01":    Multinomial{Alpha: .01},
		"bernoulli":                 Bernoulli{},
		"bernoulli:yes=0.1,no=0.1":  Bernoulli{Yes: .1, No: .1},
		"bernoulli:no=3":            Bernoulli{No: 3},
		"dcm":                       DCM{},
		"dcm:epsilon=0.1":           DCM{Epsilon: .1},
		"normalised":                Normalised{},
		"normalised:jm=0.9":         Normalised{Lambda: .9},
		"attributes":                Attributes{},
		"attributes:alpha=1,jm=0.2": Attributes{Alpha: 1, Background: .2},
		"attributes:alpha=-1":       nil,
		"attributes:jm=2":           nil,
		"complement":                Complement{},
		"complement:alpha=0.1":      Complement{Alpha: .1},
		"ratio:documents,bound=2":   Ratio{Documents: true, Bound: 2},
	} {
		got, err := Parse(name)
		switch {
		case want == nil:
			if err == nil {
				t.Errorf("%s is %#v", name, got)
			}
		case err != nil:
			t.Error(err)
		case !reflect.DeepEqual(got, want) || got.Name() != name:
			t.Errorf("%s is %#v, called %s; want %#v", name, got, got.Name(), want)
		}
	}
}

// TestParseReadsAnyOrder lists names that differ from their models' names: parameters in
// another order, or with their defaults.
func TestParseReadsAnyOrder(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"multinomial:alpha=1e0":      "multinomial:alpha=1",
		"multinomial:alpha=0.1":      "multinomial",
		"bernoulli:no=0.02,yes=0.02": "bernoulli",
		"bernoulli:no=1,yes=2":       "bernoulli:yes=2,no=1",
		"dcm:epsilon=0.01":           "dcm",
		"normalised:jm=0.8":          "normalised",
		"ratio:alpha=0.1,documents":  "ratio:documents,alpha=0.1",
		"attributes:jm=.2,alpha=0.1": "attributes:jm=0.2",
	} {
		if got, err := Parse(name); err != nil || got.Name() != want {
			t.Errorf("%s: %v, %v; want %s", name, got, err, want)
		}
	}
}

// TestModelNames holds that every model is what its name says.
func TestModelNames(t *testing.T) {
	t.Parallel()
	k := randomCounts(rand.New(rand.NewPCG(31, 32)), 5, 20)
	for _, m := range models(k) {
		got, err := Parse(m.Name())
		if err != nil {
			t.Error(err)
			continue
		}
		if got.Name() != m.Name() {
			t.Errorf("%s is called %s", m.Name(), got.Name())
		}
		if want, ok := m.(DCM); ok {
			want.Fits = nil
			m = want
		}
		// A default that is spelled out is read as the zero value: compare scores.
		d := doc(0, "t00001 t00001 t00002")
		if got, want := k.scores(got, d), k.scores(m, d); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", m.Name(), got, want)
		}
	}
	for _, m := range Models() {
		if strings.ContainsAny(m.Name(), ":,") {
			t.Errorf("%s is not a default", m.Name())
		}
	}
}

// TestParseErrors lists names that say nothing, with what their errors, of
// one line each, must say.
func TestParseErrors(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"":                                      `no event model is called "": want one of multinomial, bernoulli, dcm, normalised, complement`,
		"svm":                                   `no event model is called "svm": want one of multinomial,`,
		"Multinomial":                           `no event model is called "Multinomial"`,
		"multinomial:":                          `cannot read "": want multinomial:… with alpha=`,
		"multinomial:beta=1":                    `cannot read "beta=1": want multinomial:… with`,
		"multinomial:alpha=1,alpha=1":           `cannot read "alpha=1"`,
		"multinomial:jm=.5":                     `cannot read "jm=.5"`,
		"multinomial:alpha":                     `cannot read "alpha"`,
		"multinomial:alpha=":                    `alpha="": want a number`,
		"multinomial:alpha=x":                   `alpha="x": want a number`,
		"multinomial:alpha=0":                   `alpha=0: want a number above 0`,
		"multinomial:alpha=-1":                  `alpha=-1: want a number above 0`,
		"multinomial:alpha=NaN":                 `alpha=NaN: want a number above 0`,
		"normalised:jm=1":                       `jm=1: want a number between 0 and 1`,
		"ratio:weights,documents":               `cannot read "weights"`,
		"bernoulli:alpha=1":                     `want bernoulli:… with yes=`,
		"dcm:ml":                                `cannot read "ml"`,
		"normalised:alpha=1":                    `want normalised:… with jm=`,
		"complement:" + strings.Repeat("x", 99): `cannot read "xxxx`,
	} {
		m, err := Parse(name)
		if err == nil {
			t.Errorf("%q is %#v", name, m)
			continue
		}
		if got := err.Error(); !strings.Contains(got, want) || strings.Contains(got, "\n") || len(got) > 300 {
			t.Errorf("%q: %s; want %s", name, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"multinomial:alpha=0.7", "bernoulli:yes=1e3,no=0x1p4", "dcm:epsilon=2", "normalised:jm=.5", "complement:alpha=1_0", "ratio:documents", "auto:"} {
		f.Add(name)
	}
	k := countDocuments([]string{"a", "b"}, doc(0, "v w w"), doc(1, "w"))
	f.Fuzz(func(t *testing.T, name string) {
		m, err := Parse(name)
		if err != nil {
			return
		}
		again, err := Parse(m.Name())
		if err != nil || !reflect.DeepEqual(m, again) {
			t.Fatalf("%q is %#v, called %q, which is %#v, %v", name, m, m.Name(), again, err)
		}
		for _, score := range k.scores(m, doc(0, "v v w")) {
			if score != score {
				t.Fatalf("%q scores NaN", name)
			}
		}
	})
}
