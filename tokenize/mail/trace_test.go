package mail

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

// countsOf returns the terms of b with their counts.
func countsOf(b *tokenize.Bag) map[string]int {
	counts := make(map[string]int)
	for i := range b.Len() {
		term, n := b.At(i)
		counts[string(term)] = n
	}
	return counts
}

func defaults(t testing.TB) *tokenize.Analyzer {
	t.Helper()
	a, err := tokenize.New("")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// checkTrace fails the test unless the spans of a message are its terms, those that have a
// place at bytes that give them. It returns how many have one.
func checkTrace(t testing.TB, a *tokenize.Analyzer, raw []byte) (placed, all int) {
	t.Helper()
	var want tokenize.Bag
	_ = Tokenize(a, &want, raw)
	counts := countsOf(&want)
	tr := Trace(a, raw)
	for _, s := range tr.Spans {
		if counts[s.Term]--; counts[s.Term] == 0 {
			delete(counts, s.Term)
		}
		if s.Part < -1 || s.Part >= len(tr.Parts) || s.Start > s.End || s.Part < 0 && s.End > 0 {
			t.Fatalf("%+v of %d parts", s, len(tr.Parts))
		}
		if s.Start == s.End {
			continue
		}
		placed++
		// Whether a word is read with letters that look alike depends on the words around it.
		if part := tr.Parts[s.Part].Text; !gives(a, part[s.Start:s.End], s.Term) && !gives(a, part, s.Term) {
			t.Fatalf("%q does not give %q, of %q", part[s.Start:s.End], s.Term, part)
		}
	}
	if len(counts) > 0 {
		t.Fatalf("terms and spans differ: %v", counts)
	}
	return placed, len(tr.Spans)
}

// gives reports whether a text gives a term, in whatever field, as a link, host or address too.
func gives(a *tokenize.Analyzer, text, term string) bool {
	value := term[strings.IndexByte(term, ':')+1:]
	var b tokenize.Bag
	a.Text(&b, "", []byte(text))
	a.URL(&b, []byte("x/"+text))
	a.URL(&b, []byte("//"+text))
	for _, field := range []string{"", "path:", "url:"} {
		if countsOf(&b)[field+value] > 0 {
			return true
		}
	}
	low := string(ascii.AppendLower(nil, []byte(text)))
	return low == value || strings.HasPrefix(low, value) && len(value) == tokenize.MaxTermBytes-len(term)+len(value)
}

func FuzzTrace(f *testing.F) {
	seeds(f)
	for _, m := range traced {
		f.Add([]byte(m))
	}
	a := defaults(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		checkTrace(t, a, raw)
	})
}

var traced = []string{
	"From: =?utf-8?Q?J=C3=BCrg?= Ann <Ann@News.example>, bob\r\nTo: x\r\nSubject: [SPAM] Re: \xfcber =?iso-8859-1?Q?caf=E9_offer?=\r\n" +
		"Date: Mon, 5 Jan 2026 09:30:00 +0100 (CET)\r\nMessage-ID: <1@mx.news.example>\r\nReceived: from a.b.example (a.b.example [10.1.2.3]) by c; now\r\n" +
		"X-Foo: one 12345678 two\r\nX-Priority: 3\r\nAuthentication-Results: me; spf=pass smtp.x; dkim=FAIL\r\n" +
		"Content-Type: multipart/mixed; boundary=\"--==a1\"\r\n\r\n----==a1\r\nContent-Type: text/plain; charset=iso-8859-1\r\n" +
		"Content-Transfer-Encoding: quoted-printable\r\n\r\nDer Preis f=FCr B=FC=\r\ncher www.Shop.example/caf%C3%A9\r\n----==a1\r\n" +
		"Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename=\"=?utf-8?B?w7xiZXI=?= a.HTM\"\r\n\r\n" +
		"PGEgaHJlZj0iaHR0cDovL3guZGUvYWIiPk3DvGxsJmFtcDtDbzwvYT48cCBoaWRkZW4+Z2VoZWltPC9wPg==\r\n----==a1--\r\n",
	"Subject: x\n\nbegin 644 a b.txt\n#0V%T\n`\nend\nwords \xe6\x9d\xb1\xe4\xba\xac\n",
}

// Where the terms of a message come from, by hand.
func TestTrace(t *testing.T) {
	t.Parallel()
	tr := Trace(defaults(t), []byte(traced[0]))
	var got []string
	for _, s := range tr.Spans {
		at := "nowhere"
		if s.Part >= 0 {
			p := tr.Parts[s.Part]
			if at = p.Text[s.Start:s.End]; p.Header {
				at += " in " + p.Name
			} else {
				at += " of " + p.Name
			}
		}
		got = append(got, s.Term+" = "+at)
	}
	for _, want := range []string{
		"from:jürg = Jürg in from", "from:ann = Ann in from", "from:ann@news.example = Ann@News.example in from", "from:news.example = News.example in from",
		"from:bob = bob in from", "subject:über = über in subject", "über = über in subject", "café = café in subject", "date:+0100 = +0100 in date",
		"msgid:mx.news.example = mx.news.example in message-id", "msgid:news.example = news.example in message-id",
		"received:a.b.example = a.b.example in received", "received:10.1.2.3 = 10.1.2.3 in received", "received:10.1 = 10.1 in received",
		"header:x-foo =  in x-foo", "x-foo:one = one in x-foo", "x-foo:two = two in x-foo", "x-priority:3 = 3 in x-priority",
		"auth:spf=pass = spf=pass in authentication-results", "auth:dkim=fail = dkim=FAIL in authentication-results",
		"mime:multipart/mixed =  in content-type", "charset:iso-8859-1 =  in content-type",
		"preis = Preis of ", "bücher = Bücher of ", "url:www.shop.example = www.Shop.example of ", "path:café = caf%C3%A9 of ",
		"müll = Müll of ", "co = Co of ", "url:x.de = x.de of url", "path:ab = ab of url", "invisible:geheim = geheim of invisible",
		"ext:htm = HTM of file", "file:über = über of file",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("no %s", want)
		}
	}
	if t.Failed() {
		t.Logf("%q", got)
	}
	for _, p := range tr.Parts {
		if p.Name == "subject" && p.Text != " [SPAM] Re: über café offer" || p.Name == "" && strings.Contains(p.Text, "=") {
			t.Errorf("%+v", p)
		}
	}
}

// Of mail nearly every term has its place.
func TestTraceMail(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../testdata/mail/held/*/*.eml")
	if err != nil || len(files) < 80 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	a := defaults(t)
	placed, all := 0, 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, n := checkTrace(t, a, raw)
		placed, all = placed+p, all+n
	}
	if float64(placed) < .85*float64(all) {
		t.Errorf("%d of %d terms have a place", placed, all)
	}
	t.Logf("%d of %d terms have a place", placed, all)
}
