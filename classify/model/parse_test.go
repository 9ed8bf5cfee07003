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
		"multinomial":                        Multinomial{},
		"multinomial:alpha=0.01":             Multinomial{Smoothing: Additive(.01)},
		"multinomial:log,jm=0.7":             Multinomial{Count: LogCounts, Smoothing: JelinekMercer(.7)},
		"multinomial:binary,dirichlet=1000":  Multinomial{Count: Binary, Smoothing: Dirichlet(1000)},
		"multinomial:discount=0.8":           Multinomial{Smoothing: AbsoluteDiscount(.8)},
		"multinomial:m=10":                   Multinomial{Smoothing: MEstimate(10)},
		"multinomial:ml":                     Multinomial{Estimator: MaximumLikelihood},
		"multinomial:map,alpha=2":            Multinomial{Estimator: PosteriorMode, Smoothing: Additive(2)},
		"multinomial:binary,map,alpha=1e-05": nil,
		"bernoulli":                          Bernoulli{},
		"bernoulli:yes=0.1,no=0.1":           Bernoulli{Yes: .1, No: .1},
		"bernoulli:no=3":                     Bernoulli{No: 3},
		"bernoulli:ml":                       Bernoulli{Estimator: MaximumLikelihood},
		"bernoulli:map,yes=2,no=1.5":         Bernoulli{Estimator: PosteriorMode, Yes: 2, No: 1.5},
		"dcm":                                DCM{},
		"dcm:edcm":                           DCM{Exponential: true},
		"dcm:edcm,ml":                        DCM{Exponential: true, Estimator: MaximumLikelihood},
		"dcm:epsilon=0.1":                    DCM{Epsilon: .1},
		"dcm:ml":                             DCM{Estimator: MaximumLikelihood},
		"normalised":                         Normalised{},
		"normalised:jm=0.9":                  Normalised{Lambda: .9},
		"attributes":                         Attributes{},
		"attributes:ml,sample":               Attributes{Estimator: MaximumLikelihood, Density: SampleGaussian},
		"attributes:gaussian,alpha=1":        Attributes{Density: Gaussian, Alpha: 1},
		"attributes:map,alpha=2":             Attributes{Estimator: PosteriorMode, Alpha: 2},
		"attributes:ml,alpha=2":              nil,
		"attributes:alpha=-1":                nil,
		"complement":                         Complement{},
		"complement:normalised":              Complement{Normalised: true},
		"complement:normalised,alpha=1":      Complement{Normalised: true, Alpha: 1},
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
		"multinomial:mean,alpha=0.1":    "multinomial",
		"multinomial:jm=.7,log":         "multinomial:log,jm=0.7",
		"multinomial:alpha=2,map":       "multinomial:map,alpha=2",
		"multinomial:alpha=1e0":         "multinomial:alpha=1",
		"bernoulli:no=0.02,yes=0.02":    "bernoulli",
		"dcm:map,epsilon=0.01":          "dcm",
		"normalised:jm=0.8":             "normalised",
		"complement:alpha=1,normalised": "complement:normalised,alpha=1",
		"attributes:student,alpha=0.1":  "attributes",
		"attributes:alpha=1,gaussian":   "attributes:gaussian,alpha=1",
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
	for _, m := range append(models(k), likelihoods(k)...) {
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
		"multinomial:":                          `cannot read "": want multinomial:… with log|binary, mean|map|ml, alpha=`,
		"multinomial:beta=1":                    `cannot read "beta=1": want multinomial:… with`,
		"multinomial:alpha=1,alpha=1":           `cannot read "alpha=1"`,
		"multinomial:alpha=1,jm=.5":             `cannot read "jm=.5"`,
		"multinomial:log,binary":                `cannot read "binary"`,
		"multinomial:map,ml":                    `cannot read "ml"`,
		"multinomial:mean,ml":                   `cannot read "ml"`,
		"multinomial:alpha":                     `cannot read "alpha"`,
		"multinomial:alpha=":                    `alpha="": want a number`,
		"multinomial:alpha=x":                   `alpha="x": want a number`,
		"multinomial:alpha=0":                   `alpha=0: want a number above 0`,
		"multinomial:alpha=-1":                  `alpha=-1: want a number above 0`,
		"multinomial:alpha=NaN":                 `alpha=NaN: want a number above 0`,
		"multinomial:jm=1":                      `jm=1: want a number between 0 and 1`,
		"multinomial:discount=1.5":              `discount=1.5: want a number above 0, at most 1`,
		"multinomial:map":                       `map with alpha=0.1: want alpha=1 or more`,
		"multinomial:ml,alpha=1":                `ml has no prior: want no alpha`,
		"multinomial:map,jm=.5":                 `map with jm=0.5: want alpha=`,
		"bernoulli:map":                         `map with yes=0.02: want yes=1 or more`,
		"bernoulli:alpha=1":                     `want bernoulli:… with mean|map|ml, yes=`,
		"dcm:mean":                              `mean: want map or ml`,
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
	for _, name := range []string{"multinomial:log,jm=0.7", "bernoulli:map,yes=1e3,no=0x1p4", "dcm:edcm,ml", "normalised:jm=.5", "complement:normalised,alpha=1_0", "auto:"} {
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
