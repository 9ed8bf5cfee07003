package classify

import (
	"reflect"
	"strings"
	"testing"
)

// Names of what chooses among models are read back, and what is none of them is refused
// in one line that lists them.
func TestParseModel(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"auto", "stack", "multinomial:alpha=0.7"} {
		if m, err := ParseModel(name); err != nil || m.Name() != name {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
	for name, want := range map[string]string{
		"svm":               "want one of multinomial, bernoulli, dcm, normalised, complement, ratio, attributes, auto, stack",
		"auto:":             `cannot read "": auto has no parameters`,
		"stack:x":           `cannot read "x": stack has no parameters`,
		"multinomial:seed=": `cannot read "seed=": want multinomial:… with`,
	} {
		m, err := ParseModel(name)
		if err == nil {
			t.Errorf("%q is %#v", name, m)
		} else if got := err.Error(); !strings.Contains(got, want) || strings.Contains(got, "\n") {
			t.Errorf("%q: %s; want %s", name, got, want)
		}
	}
}

func FuzzParseModel(f *testing.F) {
	for _, name := range []string{"auto:", "stack", "stack:x", "bernoulli:yes=1e3"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		m, err := ParseModel(name)
		if err != nil {
			return
		}
		if again, err := ParseModel(m.Name()); err != nil || !reflect.DeepEqual(m, again) {
			t.Fatalf("%q is %#v, called %q, which is %#v, %v", name, m, m.Name(), again, err)
		}
	})
}
