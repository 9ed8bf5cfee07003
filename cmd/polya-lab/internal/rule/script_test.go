package rule

import (
	"math/rand/v2"
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

// The fields of the outermost header are read, unfolded, decoded and in lower case, up to the limit of terms.
func TestReadHeader(t *testing.T) {
	t.Parallel()
	raw := "From x@y Mon Jun  1 10:00:00 2026\r\n" +
		"From: \"Ann, A.\" <Ann@Example.ORG>\r\n" +
		"To:\r\n group: c@example.org;\r\n" +
		"no field\r\n" +
		"CC : =?utf-8?q?M=C3=BCller?= <m@example.com>\r\n" +
		"List-ID: Walks\r\n\t<Walks.Example.org>\r\n" +
		"Subject: =?iso-8859-1?q?Gr=FC=DFe?= =?utf-8?b?IGF1cyBa?= \r\n rest\r\n" +
		"Subject: =?no-charset?q?x?=\r\n" +
		"\r\nFrom: body@example.org\r\n"
	from := "\n \"ann, a.\" <ann@example.org>"
	want := header{FromAddress: from, FromDomain: from, Recipient: "\n group: c@example.org;\n müller <m@example.com>",
		ListID: "\n walks\t<walks.example.org>", SubjectWord: "\n grüße aus z  rest"}
	if got := readHeader([]byte(raw)); got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
	long := "Subject: a\r\n" + strings.Repeat("X: y\r\n", mail.MaxHeaderBytes/6) + "Subject: behind\r\n\r\n"
	if got := readHeader([]byte(long)); got[SubjectWord] != "\n a" {
		t.Errorf("%.200q", got)
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
