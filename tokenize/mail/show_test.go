package mail

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/tokenize"
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

// checkShown fails the test unless the places of a message's terms are in order, without
// overlaps, and each at bytes between two blanks that give its term. It returns the terms.
func checkShown(t testing.TB, a *tokenize.Analyzer, raw []byte) (placed map[string]bool, all map[string]int) {
	t.Helper()
	var bag tokenize.Bag
	Read(a, &bag, raw)
	all, placed = countsOf(&bag), map[string]bool{}
	weights := map[string]float64{}
	for term := range all {
		weights[term] = 1 / float64(len(term)) // words before words of fields
	}
	for _, p := range Show(a, raw, weights) {
		end := 0
		for _, at := range p.Places {
			if at.Start < end || at.End <= at.Start || at.End > len(p.Text) || weights[at.Term] == 0 {
				t.Fatalf("%+v of %q, after %d", at, p.Text, end)
			}
			end = at.End
			if strings.ContainsAny(p.Text[at.Start:at.End], blank) {
				t.Fatalf("%+v of %q has a blank", at, p.Text)
			}
			placed[at.Term] = true
		}
	}
	return placed, all
}

func FuzzShow(f *testing.F) {
	seeds(f)
	f.Add([]byte("Subject: x\n\n\f" + strings.Repeat("x", 2*maxPiece))) // a space that is no blank, at which a piece would be empty
	for _, m := range shown {
		f.Add([]byte(m))
	}
	a := defaults(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		checkShown(t, a, raw[:min(len(raw), 64<<10)])
	})
}

var shown = []string{
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
func TestShow(t *testing.T) {
	t.Parallel()
	a := defaults(t)
	for _, want := range []string{
		"from:jürg = Jürg in from", "from:ann = Ann in from", "from:ann@news.example = Ann@News.example in from", "from:news.example = News.example in from",
		"from:bob = bob in from", "subject:über = über in subject", "über = über in subject", "café = café in subject", "date:+0100 = +0100 in date",
		"msgid:mx.news.example = mx.news.example in message-id", "msgid:news.example = news.example in message-id",
		"received:a.b.example = a.b.example in received", "received:10.1.2.3 = 10.1.2.3 in received", "received:10.1 = 10.1 in received",
		"header:x-foo = one in x-foo", "x-foo:one = one in x-foo", "x-foo:two = two in x-foo", "x-priority:3 = 3 in x-priority",
		"preis = Preis of ", "bücher = Bücher of ", "url:www.shop.example = www.Shop.example of ", "path:café = www.Shop.example/caf%C3%A9 of ",
		"müll = Müll of ", "co = Co of ", "url:x.de = x.de of url", "path:ab = ab of url", "invisible:geheim = geheim of invisible",
		"ext:htm = HTM of file", "file:über = über of file", "東京 = 東京 of ",
	} {
		term, _, _ := strings.Cut(want, " = ")
		var got []string
		for _, raw := range shown {
			for _, p := range Show(a, []byte(raw), map[string]float64{term: 1}) {
				for _, at := range p.Places {
					in := " of "
					if p.Header {
						in = " in "
					}
					got = append(got, at.Term+" = "+p.Text[at.Start:at.End]+in+p.Name)
				}
				if p.Name == "subject" && p.Text != " [SPAM] Re: über café offer" && p.Text != " x" || p.Name == "" && strings.Contains(p.Text, "=") {
					t.Errorf("%+v", p)
				}
			}
		}
		if !slices.Contains(got, want) {
			t.Errorf("no %s, but %q", want, got)
		}
	}
}

// A byte of two terms belongs to the stronger one.
func TestShowStrongest(t *testing.T) {
	t.Parallel()
	text := "x www.shop.example/a%62c 東京都 x"
	parts := Show(defaults(t), []byte("Subject: y\n\n"+text+"\n"), map[string]float64{"url:www.shop.example": 1, "url:shop.example": -2, "path:abc": .5, "東京": 1, "京都": 2})
	var got []string
	for _, at := range parts[len(parts)-1].Places {
		got = append(got, at.Term+"="+text[at.Start:at.End])
	}
	if want := []string{"url:www.shop.example=www.", "url:shop.example=shop.example", "path:abc=/a%62c", "東京=東", "京都=京都"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Of mail most terms of the text have their place.
func TestShowMail(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../testdata/mail/held/*/*.eml")
	if err != nil || len(files) < 80 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	a := defaults(t)
	found, words := 0, 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		placed, all := checkShown(t, a, raw)
		for term := range all {
			if strings.Trim(term, "abcdefghijklmnopqrstuvwxyz") == "" { // characters of a pair may belong to the next
				words++
				if placed[term] {
					found++
				}
			}
		}
	}
	if float64(found) < .95*float64(words) {
		t.Errorf("%d of %d words have a place", found, words)
	}
	t.Logf("%d of %d words have a place", found, words)
}
