package tokenize

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// channelTerms are the terms of a channel, and the others with their counts.
func channelTerms(t testing.TB, b *Bag) (channel []string, others map[string]int) {
	others = map[string]int{}
	for i := range b.Len() {
		term, n := b.At(i)
		if term[0] != 1 {
			others[string(term)] = n
			continue
		}
		if n != 1 {
			t.Errorf("%q is counted %d times", term, n)
		}
		channel = append(channel, string(term))
	}
	slices.Sort(channel)
	return channel, others
}

func TestChannels(t *testing.T) {
	tests := []struct{ text, want string }{
		{"Go: Go!", " go:| go!|go: |o: g|: go|go! "},
		{"\x01ab\x01\x01", " ab "},
		{"a", ""},
		{"ＡＢ", " ab "},
		{"a\u00adb\n\tc", " ab |ab c|b c "},
		{"東京", " 東京 "},
	}
	for _, tt := range tests {
		b := new(Bag)
		analyzer(t, "polya-7 channel=grams").Text(b, "", []byte(tt.text))
		got, _ := channelTerms(t, b)
		want := strings.Split(tt.want, "|")
		for i := range want {
			want[i] = "\x01" + want[i]
		}
		if slices.Sort(want); tt.want == "" {
			want = nil
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", tt.text, got, want)
		}
	}
}

// bruteGrams are the grams of text by their definition.
func bruteGrams(text string) []string {
	text = norm.NFKC.String(cases.Fold().String(norm.NFKC.String(text)))
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	runes := []rune(" " + text + " ")
	if len(runes) < 3 {
		return nil
	}
	return windows(runes, 4)
}

// windows are the distinct runs of n runes, each behind the mark.
func windows(runes []rune, n int) []string {
	found := map[string]bool{}
	for i := n; i <= len(runes); i++ {
		found["\x01"+string(runes[i-n:i])] = true
	}
	return slices.Sorted(maps.Keys(found))
}

func FuzzChannels(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Add([]byte("ภาษาไทย ສະບາຍດີ 東京都に行った Ça va? :) 3½"))
	plain, grams := analyzer(f, "polya-7 channel=off"), analyzer(f, "polya-7 channel=grams")
	short := analyzer(f, "")
	f.Fuzz(func(t *testing.T, text []byte) {
		want := new(Bag)
		plain.Text(want, "", text)
		plain.Text(want, "subject", text)
		_, words := channelTerms(t, want)
		b := new(Bag)
		grams.Text(b, "", text)
		grams.Text(b, "subject", text)
		checkTerms(t, b)
		channel, others := channelTerms(t, b)
		limited := others[limitChannel]
		if delete(others, limitChannel); !maps.Equal(others, words) {
			t.Fatalf("the other terms are changed: %v, want %v", others, words)
		}
		if len(channel) > MaxChannel || limited > 1 {
			t.Fatalf("%d terms, limited %d times", len(channel), limited)
		}
		for _, term := range channel {
			if FieldOf([]byte(term)) != CharacterField || ofField([]byte(term)) {
				t.Fatalf("%q is of field %d", term, FieldOf([]byte(term)))
			}
		}
		if want := bruteGrams(string(text)); limited == 0 && isASCII(text) && !slices.Equal(channel, want) {
			t.Fatalf("grams %q, want %q", channel, want)
		}
		got, want := new(Bag), b
		short.Text(got, "", text)
		short.Text(got, "subject", text)
		if utf8.RuneCount(text) > shortText {
			want = new(Bag)
			plain.Text(want, "", text)
			plain.Text(want, "subject", text)
		}
		same(t, got, want)
	})
}

// TestShortTexts holds which texts give grams by default: those of a document of one text, of at
// most 512 characters.
func TestShortTexts(t *testing.T) {
	text := strings.Repeat("東京 ", 170)
	tests := []struct {
		spec  string
		part  bool
		html  bool
		field string
		text  string
		grams bool
	}{
		{text: text + "ab", grams: true},
		{text: text + "abc"},
		{text: text, field: "subject"},
		{text: text, part: true},
		{text: text, spec: "polya-6"},
		{text: text, spec: "polya-7 channel=off"},
		{text: text + "abc", spec: "polya-7 channel=grams", grams: true},
		{text: text + "abc", spec: "polya-7 channel=grams", part: true, grams: true},
		{text: "<p hidden>" + text + "<p>" + text, html: true, grams: true},
		{text: "<p>" + text + "<p>abc", html: true},
	}
	for i, tt := range tests {
		a, b := analyzer(t, tt.spec), new(Bag)
		if tt.part {
			a = a.Part()
		}
		if tt.html {
			a.HTML(b, []byte(tt.text))
		} else {
			a.Text(b, tt.field, []byte(tt.text))
		}
		if grams, others := channelTerms(t, b); len(grams) > 0 != tt.grams || len(others) == 0 {
			t.Errorf("text %d has %d grams and %d other terms, want grams: %v", i, len(grams), len(others), tt.grams)
		}
	}
}

// However long a text is, and of however many parts its document is, the terms of channels
// are so many, and a term says that some were left out.
func TestChannelLimit(t *testing.T) {
	a := analyzer(t, "polya-7 channel=grams")
	b := new(Bag)
	for part := range 3 {
		var text strings.Builder
		for i := range 20000 {
			fmt.Fprintf(&text, "%d word %c%c%c ", i+part*1e6, rune(0x4e00+i%2000), rune(0x4e00+i/7%2000), rune(0x5e00+i%1999))
		}
		a.Text(b, "", []byte(text.String()))
	}
	terms, others := channelTerms(t, b)
	if len(terms) != MaxChannel || others[limitChannel] != 1 {
		t.Errorf("%d terms, %d of the limit", len(terms), others[limitChannel])
	}
	b.Reset()
	a.Text(b, "", []byte("some words 東京都"))
	if terms, others := channelTerms(t, b); len(terms) == 0 || others[limitChannel] != 0 {
		t.Errorf("after the reset %q, %d of the limit", terms, others[limitChannel])
	}
	// The end of a long text is read too.
	b = new(Bag)
	long := strings.Repeat("abcdefgh ", maxGramText)
	a.Text(b, "", []byte("qqqq "+long+" zzzz"))
	terms, others = channelTerms(t, b)
	if !slices.Contains(terms, "\x01qqqq") || !slices.Contains(terms, "\x01zzzz") || others[limitChannel] != 1 {
		t.Errorf("a long text has %q", terms)
	}
}
