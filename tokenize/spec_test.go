package tokenize

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSpec(t *testing.T) {
	tests := []struct{ spec, want string }{
		{"", DefaultSpec},
		{"polya-6", DefaultSpec},
		{DefaultSpec, DefaultSpec},
		{"  polya-6\tstem=on  lang=en ", "polya-6 lang=en stem=on stop=off ngram=1 min=2"},
		{"polya-6 min=3 lang=de ngram=2 stop=off", "polya-6 lang=de stem=auto stop=off ngram=2 min=3"},
		{"polya-6 lang=none", "polya-6 lang=none stem=auto stop=off ngram=1 min=2"},
		{"polya-6 attr=off", DefaultSpec},
		{"polya-6 attr=mail", DefaultSpec + " attr=mail"},
		{"polya-6 attr=hour,sender", DefaultSpec + " attr=sender,hour"},
		{"polya-6 attr=attachments,recipients,weekday,hour,size,to,list,domain,sender", DefaultSpec + " attr=mail"},
		{"polya-6 digits=on", DefaultSpec},
		{"polya-6 digits=off", DefaultSpec + " digits=off"},
		{"polya-6 attr=size channel=grams digits=off", DefaultSpec + " digits=off channel=grams attr=size"},
		{"polya-6 channel=off", DefaultSpec},
		{"polya-6 stem=off", "polya-6 lang=auto stem=off stop=off ngram=1 min=2"},
	}
	for _, tt := range tests {
		if got := analyzer(t, tt.spec).Spec(); got != tt.want {
			t.Errorf("%q is %q, want %q", tt.spec, got, tt.want)
		}
	}
}

func TestSpecErrors(t *testing.T) {
	tests := []struct{ spec, want string }{
		{"polya-0", `"polya-0" is not known`},
		{"polya-5", `"polya-5" is not known`},
		{"polya-1 stem=on", `"polya-1" is not known`},
		{"stem=on", `"stem=on" is not known`},
		{"polya-6 stem", `"stem" in the analyzer spec is not of the form`},
		{"polya-6 stem=yes", "must be one of auto, on, off"},
		{"polya-6 stop=on", "must be one of off"},
		{"polya-6 stem=", "must be one of auto, on, off"},
		{"polya-6 lang=xx", "must be one of auto, none, en, fr"},
		{"polya-6 lang=EN", "must be one of auto, none"},
		{"polya-6 digits=3", "must be one of off, on"},
		{"polya-6 ngram=3", "must be one of 1, 2"},
		{"polya-6 ngram=+1", "must be one of 1, 2"},
		{"polya-6 min=0", "must be one of 1, 2"},
		{"polya-6 min=02", "must be one of 1, 2"},
		{"polya-6 min=two", "must be one of 1, 2"},
		{"polya-6 stem=on stem=on", "set twice"},
		{"polya-6 attr=", "must be off, or some of mail, sender, domain"},
		{"polya-6 attr=size,colour", `attr="size,colour" in the analyzer spec must be`},
		{"polya-6 attr=size,hour,size", "each once"},
		{"polya-6 attr=size,", "must be off"},
		{"polya-6 channel=", "must be one of off, grams"},
		{"polya-6 channel=pairs", "must be one of off, grams"},
		{"polya-7", `"polya-7" is not known`},
		{"polya-6 colour=red", `"colour" is no setting`},
		{"polya-6 stem=on", "stem=on in the analyzer spec needs a language"},
		{"polya-6 stem=on lang=none", "stem=on in the analyzer spec needs a language"},
		{strings.Repeat("x", 10000), "is not known"},
	}
	for _, tt := range tests {
		a, err := New(tt.spec)
		if err == nil || a != nil {
			t.Errorf("%q was taken", tt.spec)
			continue
		}
		text := err.Error()
		if !strings.Contains(text, tt.want) || strings.Contains(text, "\n") || len(text) > 300 {
			t.Errorf("%.40q: %q, want %q in one line", tt.spec, text, tt.want)
		}
	}
}

func TestSpecRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := spec{
			lang:  language(rapid.IntRange(0, len(languages)-1).Draw(t, "lang")),
			stem:  rapid.SampledFrom([]string{"auto", "off", "on"}).Draw(t, "stem"),
			ngram: rapid.IntRange(1, 2).Draw(t, "ngram"),
			min:   rapid.IntRange(1, 9).Draw(t, "min"),

			digits: rapid.Bool().Draw(t, "digits"), grams: rapid.Bool().Draw(t, "grams"),
		}
		for _, name := range attributeNames {
			if rapid.Bool().Draw(t, name) {
				s.attr = append(s.attr, name)
			}
		}
		if s.lang <= none && s.stem == "on" {
			s.stem = "off"
		}
		got, err := parseSpec(s.String())
		if err != nil || !reflect.DeepEqual(got, s) {
			t.Fatalf("%v became %v, %v", s, got, err)
		}
		parts := strings.Fields(s.String())
		shuffled := rapid.Permutation(parts[1:]).Draw(t, "order")
		got, err = parseSpec(fmt.Sprint(parts[0], " ", strings.Join(shuffled, " ")))
		if err != nil || !reflect.DeepEqual(got, s) {
			t.Fatalf("%v became %v, %v", shuffled, got, err)
		}
	})
}

func FuzzSpec(f *testing.F) {
	f.Add(DefaultSpec)
	f.Add("polya-6 lang=fr stem=on")
	f.Add("polya-6 lang=ga stem=auto min=1")
	f.Add("polya-6 attr=sender,size")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := New(text)
		if err != nil {
			return
		}
		b, err := New(a.Spec())
		if err != nil || a.Spec() != b.Spec() || !reflect.DeepEqual(a.spec, b.spec) {
			t.Fatalf("%q became %q, then %v", text, a.Spec(), err)
		}
	})
}
