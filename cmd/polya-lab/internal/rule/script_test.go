package rule

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/store/count"
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
		subjects: []string{"grüße aus z  rest", ""},
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
	if n := testing.AllocsPerRun(1, func() { readHeader(raw) }); n > 100 {
		t.Errorf("%v allocations for a field of 65,536 lines", n)
	}
}

func TestMeets(t *testing.T) {
	t.Parallel()
	h := header{from: []string{"ann@lists.example.org"}, to: []string{"bob@example.net"}, lists: []string{"a <walks.example.org>"}, subjects: []string{"re: walks"}}
	for c, want := range map[Condition]bool{
		{Kind: FromAddress, Value: "ann@lists.example.org"}: true,
		{Kind: FromAddress, Value: "nn@lists.example.org"}:  false,
		{Kind: FromDomain, Value: "lists.example.org"}:      true,
		{Kind: FromDomain, Value: "example.org"}:            true,
		{Kind: FromDomain, Value: "ample.org"}:              false,
		{Kind: Recipient, Value: "bob@example.net"}:         true,
		{Kind: Recipient, Value: "ann@lists.example.org"}:   false,
		{Kind: ListID, Value: "walks.example.org"}:          true,
		{Kind: ListID, Value: "other.example.org"}:          false,
		{Kind: SubjectWord, Value: "walks"}:                 true,
		{Kind: SubjectWord, Value: "talks"}:                 false,
	} {
		if h.meets(c) != want {
			t.Errorf("%v: %v", c, !want)
		}
	}
}

// A message meets the conditions that its terms name and its header confirms: a word with a point in
// a name is no domain.
func TestNewMessage(t *testing.T) {
	t.Parallel()
	raw := []byte("From: J.P. Doe <a@b.example.org>\nSubject: Zürich, and cities\n\n")
	bag := new(tokenize.Bag)
	for _, term := range []string{"from:j.p", "from:a@b.example.org", "from:example.org", "from:ample.org", "subject:zürich", "subject:citi", "subject:city", "zürich"} {
		bag.Add([]byte(term))
	}
	want := []Condition{{FromAddress, "a@b.example.org"}, {FromDomain, "example.org"}, {SubjectWord, "zürich"}, {SubjectWord, "citi"}}
	if got := NewMessage(count.DocID{1}, bag, raw).conditions; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestTests(t *testing.T) {
	t.Parallel()
	for c, want := range map[Condition]string{
		{ListID, "a.example.org"}:      `header :contains "list-id" "a.example.org"`,
		{FromAddress, "a@example.org"}: `address :is "from" "a@example.org"`,
		{FromDomain, "example.org"}:    `address :domain :matches "from" ["example.org", "*.example.org"]`,
		{Recipient, "a@example.org"}:   `address :is ["to", "cc"] "a@example.org"`,
		{SubjectWord, "offer"}:         `header :contains "subject" "offer"`,
	} {
		if got := c.Test(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
