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
		{"polya-7", DefaultSpec},
		{DefaultSpec, DefaultSpec},
		{"  polya-7\tstem=on  lang=en ", "polya-7 lang=en stem=on stop=off ngram=1 min=2"},
		{"polya-7 min=3 lang=de ngram=2 stop=off", "polya-7 lang=de stem=auto stop=off ngram=2 min=3"},
		{"polya-7 lang=none", "polya-7 lang=none stem=auto stop=off ngram=1 min=2"},
		{"polya-7 attr=off", DefaultSpec},
		{"polya-7 attr=mail", DefaultSpec + " attr=mail"},
		{"polya-7 attr=hour,sender", DefaultSpec + " attr=sender,hour"},
		{"polya-7 attr=attachments,recipients,weekday,hour,size,to,list,domain,sender", DefaultSpec + " attr=mail"},
		{"polya-7 digits=on", DefaultSpec},
		{"polya-7 digits=off", DefaultSpec + " digits=off"},
		{"polya-7 attr=size channel=grams digits=off", DefaultSpec + " digits=off channel=grams attr=size"},
		{"polya-7 channel=off", DefaultSpec + " channel=off"},
		{"polya-7 channel=short", DefaultSpec},
		{"polya-6", "polya-6 lang=auto stem=auto stop=off ngram=1 min=2"},
		{"polya-6 channel=off", "polya-6 lang=auto stem=auto stop=off ngram=1 min=2"},
		{"polya-6 channel=grams", "polya-6 lang=auto stem=auto stop=off ngram=1 min=2 channel=grams"},
		{"polya-7 stem=off", "polya-7 lang=auto stem=off stop=off ngram=1 min=2"},
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
		{"polya-7 stem", `"stem" in the analyzer spec is not of the form`},
		{"polya-7 stem=yes", "must be one of auto, on, off"},
		{"polya-7 stop=on", "must be one of off"},
		{"polya-7 stem=", "must be one of auto, on, off"},
		{"polya-7 lang=xx", "must be one of auto, none, en, fr"},
		{"polya-7 lang=EN", "must be one of auto, none"},
		{"polya-7 digits=3", "must be one of off, on"},
		{"polya-7 ngram=3", "must be one of 1, 2"},
		{"polya-7 ngram=+1", "must be one of 1, 2"},
		{"polya-7 min=0", "must be one of 1, 2"},
		{"polya-7 min=02", "must be one of 1, 2"},
		{"polya-7 min=two", "must be one of 1, 2"},
		{"polya-7 stem=on stem=on", "set twice"},
		{"polya-7 attr=", "must be off, or some of mail, sender, domain"},
		{"polya-7 attr=size,colour", `attr="size,colour" in the analyzer spec must be`},
		{"polya-7 attr=size,hour,size", "each once"},
		{"polya-7 attr=size,", "must be off"},
		{"polya-7 channel=", "must be one of off, short, grams"},
		{"polya-7 channel=pairs", "must be one of off, short, grams"},
		{"polya-8", `"polya-8" is not known`},
		{"polya-7 colour=red", `"colour" is no setting`},
		{"polya-7 stem=on", "stem=on in the analyzer spec needs a language"},
		{"polya-7 stem=on lang=none", "stem=on in the analyzer spec needs a language"},
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

			digits:  rapid.Bool().Draw(t, "digits"),
			channel: rapid.SampledFrom([]string{"off", "short", "grams"}).Draw(t, "channel"),
			version: rapid.SampledFrom([]string{version, before}).Draw(t, "version"),
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
	f.Add("polya-7 lang=fr stem=on")
	f.Add("polya-7 lang=ga stem=auto min=1")
	f.Add("polya-7 attr=sender,size")
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
