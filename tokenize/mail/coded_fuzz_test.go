package mail

import (
	"bytes"
	"encoding/base64"
	"maps"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/textproto"
	"strings"
	"testing"
	"unicode"

	"github.com/polya-classifier/polya/tokenize"
)

// plainTerms counts the terms of a message that have no field, or the field asked for.
func plainTerms(a *tokenize.Analyzer, raw []byte, field string) map[string]int {
	var bag tokenize.Bag
	Read(a, &bag, raw)
	terms := map[string]int{}
	for i := range bag.Len() {
		term, n := bag.At(i)
		if name, _, found := strings.Cut(string(term), ":"); found && name == field || !found && field == "" {
			terms[string(term)] = n
		}
	}
	return terms
}

// written are ways in which the standard library writes a text, as the body of a message
// behind its header.
func written(t *testing.T, text string) map[string][]byte {
	const plain = "Content-Type: text/plain; charset=utf-8\r\n"
	var quoted bytes.Buffer
	w := quotedprintable.NewWriter(&quoted)
	w.Write([]byte(text))
	w.Close()
	coded := breakLines(base64.StdEncoding.EncodeToString([]byte(text)))
	ways := map[string][]byte{
		"quoted-printable": []byte(plain + "Content-Transfer-Encoding: quoted-printable\r\n\r\n" + quoted.String()),
		"base64":           []byte(plain + "Content-Transfer-Encoding: base64\r\n\r\n" + coded),
		"a message":        []byte("Content-Type: message/rfc822\r\n\r\n" + plain + "\r\n" + text),
	}
	var parts bytes.Buffer
	m := multipart.NewWriter(&parts)
	if strings.Contains(text, m.Boundary()) {
		return ways
	}
	head := textproto.MIMEHeader{"Content-Type": {"text/plain; charset=utf-8"}, "Content-Transfer-Encoding": {"base64"}}
	p, err := m.CreatePart(head)
	if err != nil {
		t.Fatal(err)
	}
	p.Write([]byte(coded))
	m.CreatePart(textproto.MIMEHeader{"Content-Type": {"image/png"}})
	m.Close()
	ways["a multipart"] = []byte("Content-Type: " + mime.FormatMediaType("multipart/mixed", map[string]string{"boundary": m.Boundary()}) + "\r\n\r\n" + parts.String())
	return ways
}

// FuzzCoded asks that a text has the same terms however a message carries it, and that a
// subject has in encoded words of either kind.
func FuzzCoded(f *testing.F) {
	for _, s := range []string{"", "plum pear\npeach = = \n.\n", "caf\u00e9 \u6771\u4eac\r\n\r\nFrom x\n--b\n", "begin 644 x\n#86)C\nend\n", "Subject: x\n\nhttp://a.example/=?b?= ~{", strings.Repeat("long ", 100)} {
		f.Add(s)
	}
	a, err := tokenize.New(words)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		if strings.ContainsAny(text, "\x00\r\x1b") || len(text) > MaxText/4 {
			return // bytes that make another charset of it, or are line breaks or not
		}
		want := plainTerms(a, []byte("Content-Type: text/plain; charset=utf-8\r\n\r\n"+text), "")
		for name, raw := range written(t, text) {
			if got := plainTerms(a, raw, ""); !maps.Equal(got, want) {
				t.Fatalf("%s: %q has\n     %v\nwant %v", name, raw, got, want)
			}
		}
		subject := strings.Join(strings.Fields(text), " ")
		if strings.Contains(subject, "=?") || strings.ContainsFunc(subject, unicode.IsControl) {
			return
		}
		want = plainTerms(a, []byte("Subject: "+subject+"\r\n\r\n"), "subject")
		for _, e := range []mime.WordEncoder{mime.QEncoding, mime.BEncoding} {
			raw := "Subject: " + strings.ReplaceAll(e.Encode("utf-8", subject), "?= =?", "?=\r\n =?") + "\r\n\r\n"
			if got := plainTerms(a, []byte(raw), "subject"); !maps.Equal(got, want) {
				t.Fatalf("%q has\n     %v\nwant %v", raw, got, want)
			}
		}
	})
}
