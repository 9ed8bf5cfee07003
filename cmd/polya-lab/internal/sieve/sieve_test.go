package sieve

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/cmd/polya-lab/internal/rule"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// unquoted reads a quoted string as RFC 5228 section 2.4.2 says: a backslash is
// taken away from before any character.
func unquoted(t *testing.T, s string) string {
	t.Helper()
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		t.Fatalf("%s is no quoted string", s)
	}
	var b strings.Builder
	for i := 1; i < len(s)-1; i++ {
		switch {
		case s[i] == '"':
			t.Fatalf("%s ends early", s)
		case s[i] == '\\' && i+1 == len(s)-1:
			t.Fatalf("%s does not end", s)
		case s[i] == '\\':
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// matches is ":matches" of RFC 5228 section 2.7.1.
func matches(pattern, s string) bool {
	switch {
	case pattern == "":
		return s == ""
	case pattern[0] == '*':
		return matches(pattern[1:], s) || s != "" && matches(pattern, s[1:])
	case s == "":
		return false
	case pattern[0] == '?':
		return matches(pattern[1:], s[1:])
	case pattern[0] == '\\' && len(pattern) > 1:
		pattern = pattern[1:]
	}
	return pattern[0] == s[0] && matches(pattern[1:], s[1:])
}

func TestSieveStrings(t *testing.T) {
	t.Parallel()
	if got := quoted(`a"b\c`); got != `"a\"b\\c"` {
		t.Error(got)
	}
	if got := quotedList([]string{"a", `"`}); got != `["a", "\""]` {
		t.Error(got)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	const letters = `ab"\*? ü`
	for range 2000 {
		var s, other string
		for range rng.IntN(6) {
			s += string([]rune(letters)[rng.IntN(8)])
			other += string([]rune(letters)[rng.IntN(8)])
		}
		if got := unquoted(t, quoted(s)); got != s {
			t.Fatalf("%q is quoted as %q", s, got)
		}
		if !matches(literal(s), s) || matches(literal(s), other) != (s == other) {
			t.Fatalf("%q as a pattern is %q, beside %q", s, literal(s), other)
		}
	}
}

func TestSieveText(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"": true, "a b": true, "grüße": true, `"`: true, "a\nb": false, "a\x00": false, "\x7f": false, "\xff": false,
		"\u202eabc": false, "a\u00a0b": false, "a\ufffdb": false,
	} {
		if IsText(s) != want {
			t.Errorf("%q: %v", s, !want)
		}
	}
}

func TestReadHeader(t *testing.T) {
	t.Parallel()
	raw := "From x@y Mon Jun  1 10:00:00 2026\r\n" +
		"From: \"Ann, A.\" <Ann@Example.ORG>, b@EXAMPLE.com (Bob)\r\n" +
		"To:\r\n group: c@example.org, d@example.org;\r\n" +
		"no field\r\n" +
		"CC : =?utf-8?q?M=C3=BCller?= <m@example.com>\r\n" +
		"Cc: <broken\r\n" +
		"List-ID: Walks\r\n\t<Walks.Example.org>\r\n" +
		"Subject: =?iso-8859-1?q?Gr=FC=DFe?= =?utf-8?b?IGF1cyBa?= \r\n rest\r\n" +
		"Subject: \xff\r\n" +
		"\r\nFrom: body@example.org\r\n"
	want := header{
		from:     []string{"ann@example.org", "b@example.com"},
		to:       []string{"c@example.org", "d@example.org", "m@example.com"},
		lists:    []string{"walks\t<walks.example.org>"},
		subjects: []string{"Grüße aus Z  rest", ""},
	}
	if got := readHeader([]byte(raw)); !reflect.DeepEqual(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	for _, raw := range []string{"", "\n", " ", "From", ":", "\n\nSubject: body", "  Subject: folded into nothing"} {
		if got := readHeader([]byte(raw)); !reflect.DeepEqual(got, header{}) {
			t.Errorf("%q: %q", raw, got)
		}
	}
}

// Of a header no more is read, and held, than terms are made of: of a field that goes
// beyond, and of those behind it, nothing; of a body that goes beyond, no less of the
// header.
func TestHeadersAreBounded(t *testing.T) {
	const first = "From: a@example.org\r\n"
	folded := "To: b@example.org" + strings.Repeat(",\r\n b@example.org", mail.MaxHeaderBytes/16)
	for name, raw := range map[string]string{
		"folded":  first + folded + "\r\nSubject: behind\r\n\r\n",
		"fields":  first + strings.Repeat("X: y\r\n", mail.MaxHeaderBytes/6) + "Subject: behind\r\n\r\n",
		"no end":  first + "To: b@example.org, " + strings.Repeat("c", mail.MaxHeaderBytes) + "\r\n\r\n",
		"a body":  first + "\r\n" + strings.Repeat("\r\nTo: x@example.org", mail.MaxHeaderBytes/16),
		"no body": first,
	} {
		if got := readHeader([]byte(raw)); !reflect.DeepEqual(got, header{from: []string{"a@example.org"}}) {
			t.Errorf("%s: %.200q", name, got)
		}
	}
	raw := []byte("Subject:" + strings.Repeat("\n x", 1<<16) + "\n\n")
	if n := testing.AllocsPerRun(1, func() { headerFields(raw) }); n > 100 {
		t.Errorf("%v allocations for a field of 65,536 lines", n)
	}
}

func TestMeets(t *testing.T) {
	t.Parallel()
	h := header{from: []string{"ann@lists.example.org"}, to: []string{"bob@example.net"}, lists: []string{"a <walks.example.org>"}}
	for c, want := range map[rule.Condition]bool{
		{Kind: rule.FromAddress, Value: "ann@lists.example.org"}:    true,
		{Kind: rule.FromAddress, Value: "nn@lists.example.org"}:     false,
		{Kind: rule.FromDomain, Value: "lists.example.org"}:         true,
		{Kind: rule.FromDomain, Value: "example.org"}:               true,
		{Kind: rule.FromDomain, Value: "ample.org"}:                 false,
		{Kind: rule.Recipient, Value: "bob@example.net"}:            true,
		{Kind: rule.Recipient, Value: "ann@lists.example.org"}:      false,
		{Kind: rule.ListID, Value: "walks.example.org"}:             true,
		{Kind: rule.ListID, Value: "other.example.org"}:             false,
		{Kind: rule.SubjectWord, Value: "walks" /* not this way */}: false,
	} {
		if h.meets(c) != want {
			t.Errorf("%v: %v", c, !want)
		}
	}
}

// The part of a subject that gives a term, and what stands between spaces.
func TestWriting(t *testing.T) {
	t.Parallel()
	tests := []struct {
		spec, subject, word string
		parts, chunks       []string
	}{
		{"", "Re: (Offers), offers today", "offers", []string{"offers", "offers"}, []string{"(offers),", "offers"}},
		{"", "GRÜSSE Grüße", "grüsse", nil, nil}, // the folding is grüsse, of ß as of ss
		{"", "nothing", "offers", nil, nil},
		{"", "会议通知", "会议", []string{"会议"}, []string{"会议通知"}},
		{"polya-6 lang=en stem=on", "The Universities", "univers", []string{"universities"}, []string{"universities"}},
		{"polya-6 lang=auto stem=on", "the runners of the city are running in it and to it", "run", []string{"run", "run"}, []string{"runners", "running"}},
		{"", "\u202eoffers", "offers", nil, nil},
		{"", strings.Repeat("x,", 200) + "offers", "offers", nil, nil},
	}
	for _, test := range tests {
		a, err := tokenize.New(test.spec)
		if err != nil {
			t.Fatal(err)
		}
		s, w := words{analyzer: a}, new(writing)
		in := s.read(test.subject)
		found := s.find(w, rule.Condition{Kind: rule.SubjectWord, Value: test.word}, &in)
		if test.word == "grüsse" {
			test.parts, test.chunks = []string{"grÜsse", "grüße"}, []string{"grÜsse", "grüße"}
		}
		if found != (len(test.parts) > 0) || !slices.Equal(w.parts, test.parts) || !slices.Equal(w.chunks, test.chunks) {
			t.Errorf("%q in %q: %q, %q", test.word, test.subject, w.parts, w.chunks)
		}
	}
}

func TestLeast(t *testing.T) {
	t.Parallel()
	list := []string{"universe", "univers", "city", "univers", "cities"}
	if got := least(list); !slices.Equal(got, []string{"cities", "city", "univers"}) {
		t.Errorf("%q", got)
	}
	if list[0] != "universe" {
		t.Error("the list has changed")
	}
}

// Letters that are in other words are looked for between spaces, and a domain that
// has others below it with these.
func TestTests(t *testing.T) {
	t.Parallel()
	a, err := tokenize.New("")
	if err != nil {
		t.Fatal(err)
	}
	art := rule.Condition{Kind: rule.SubjectWord, Value: "art"}
	domain := rule.Condition{Kind: rule.FromDomain, Value: "example.org"}
	r := writer{
		words:    words{analyzer: a},
		writings: map[rule.Condition]*writing{art: {[]string{"art", "art"}, []string{"art:", "art"}}},
		domains:  map[string]bool{"example.org": false},
		df:       map[rule.Condition]uint64{art: 20},
		others:   map[rule.Condition]uint64{art: 1},
	}
	wide := func() {
		r.others[art], r.domains["example.org"] = 2, true
	}
	for _, want := range [][2]string{
		{`header :contains "subject" "art"`, `address :domain :is "from" "example.org"`},
		{`header :matches "subject" ["art", "art *", "* art", "* art *", "art:", "art: *", "* art:", "* art: *"]`,
			`address :domain :matches "from" ["example.org", "*.example.org"]`},
	} {
		if got := [2]string{r.test(art), r.test(domain)}; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		wide()
	}
	// The term of a domain that nobody registered is of nothing below it.
	r.domains["a.example.org"] = true
	if got := r.test(rule.Condition{Kind: rule.FromDomain, Value: "a.example.org"}); got != `address :domain :is "from" "a.example.org"` {
		t.Error(got)
	}
}
