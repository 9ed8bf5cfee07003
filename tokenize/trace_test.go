package tokenize

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// checkTrace fails the test unless t has the terms of b, each at bytes that alone give it.
func checkTrace(t testing.TB, a *Analyzer, tr *Trace, b *Bag) {
	t.Helper()
	var terms Bag
	for _, s := range tr.Spans {
		terms.Add([]byte(s.Term))
	}
	same(t, &terms, b)
	if terms.Tokens() != len(tr.Spans) {
		t.Fatalf("%d spans of %d occurrences", len(tr.Spans), terms.Tokens())
	}
	if tr.depth != 0 || len(tr.made) != 0 || len(tr.some) != 0 {
		t.Fatalf("something is left open: %d, %d, %d", tr.depth, len(tr.made), len(tr.some))
	}
	w := newWorker(a.spec)
	for _, s := range tr.Spans {
		if s.Part < -1 || s.Part >= len(tr.Parts) || s.Start > s.End || s.Part < 0 && s.End > 0 {
			t.Fatalf("%+v of %d parts", s, len(tr.Parts))
		}
		if s.Start == s.End {
			continue
		}
		if text := tr.Parts[s.Part].Text[s.Start:s.End]; !gives(a, w, text, s.Term) {
			t.Fatalf("%q does not give %q, of %q", text, s.Term, tr.Parts[s.Part].Text)
		}
	}
}

// gives reports whether a text gives a term, in whatever field, as a link too.
func gives(a *Analyzer, w *worker, text, term string) bool {
	value := term[strings.IndexByte(term, ':')+1:]
	var b Bag
	a.Text(&b, "", []byte(strings.Trim(text, " ")))
	for _, linked := range [][]byte{unescape(nil, []byte(text), nil), unescape(nil, clean(nil, []byte(text), nil), nil)} {
		a.Text(&b, "", linked)
		w.bag, w.links = &b, maxLinks // deep in links there are no links
		w.setField("")
		w.text(linked)
		w.links = 0
		// As it stands in a run of a script without spaces, or the parent of a host that is folded.
		if plain := clean(nil, linked, nil); string(plain) == value || strings.HasSuffix(string(w.fold(plain)), value) {
			return true
		}
	}
	return b.count([]byte(term)) > 0 || b.count([]byte(value)) > 0
}

// traceOf returns the places of the terms of a text.
func traceOf(a *Analyzer, text []byte) *Trace {
	var t Trace
	var b Bag
	b.Record(&t)
	a.Text(&b, "", text)
	return &t
}

func FuzzTrace(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s), uint8(0), false)
		f.Add([]byte(s), uint8(1), false)
		f.Add([]byte("<p title='"+s+"'>"+s+"<a href='"+s+"'>"), uint8(2), true)
	}
	f.Add([]byte("http://www.example.co.uk/a%20b/www.x.org/caf%C3%A9?q=http://münchen.de/ü"), uint8(0), false)
	f.Add([]byte("<title>call 1234567</title><h1>0044 1</h1>"), uint8(4), true)
	f.Add([]byte("<a href='//Www.EXAMPLE.org:80/%6aoe'>"), uint8(0), true)
	var analyzers []*Analyzer
	for _, spec := range []string{"", "polya-6 min=1", "polya-6 lang=en stem=on ngram=2", "polya-6 channel=grams,pairs"} {
		analyzers = append(analyzers, analyzer(f, spec))
	}
	f.Fuzz(func(t *testing.T, text []byte, which uint8, html bool) {
		a := analyzers[int(which)%len(analyzers)]
		var got, want Bag
		var tr Trace
		got.Record(&tr)
		if html {
			a.HTML(&got, text)
			a.HTML(&want, text)
		} else {
			a.Text(&got, "", text)
			a.Text(&want, "", text)
		}
		same(t, &got, &want)
		checkTrace(t, a, &tr, &got)
		if again := traceOf(a, text); !html && !slices.Equal(again.Spans, tr.Spans) {
			t.Fatalf("%+v, and then %+v", tr.Spans, again.Spans)
		}
	})
}

// Where terms come from, by hand.
func TestTrace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ spec, text, want string }{
		{"", "The Cat's", "the=The cat's=Cat's"},
		{"", "bücher Bücher", "bücher=bücher bücher=Bücher"},
		{"", "в книгах", "книг=книгах"},
		{"polya-6 lang=en stem=on", "running", "run=running"},
		{"", "caf\xe9 x\u200by", "café=caf\xe9 xy=x\u200by"},
		{"", "東京", "東=東 東京=東京 京=京"},
		{"", "ภาษา", "ภา=ภา ภาษา=ภาษา ษา=ษา"},
		{"", "ab.cd-ef", "ab.cd=ab.cd ef=ef"},
		{"", strings.Repeat("abcdefgh.", 9), strings.TrimSpace(strings.Repeat("abcdefgh=abcdefgh ", 9))},
		{"", "see http://Www.Example.co.uk/a%62c?d=ef!", "see=see url:www.example.co.uk=Www.Example.co.uk url:example.co.uk=Example.co.uk url:co.uk=co.uk path:abc=a%62c path:ef=ef"},
		{"", "http://x.de/?u=http://yy.de/zz", "url:x.de=x.de url:yy.de=yy.de path:zz=zz"},
		{"polya-6 ngram=2", "one two", "one=one two=two one two=one two"},
		{"polya-6 channel=pairs", "one é2 three", "one=one é2=é2 \x01\x01one é2=one é2 three=three \x01\x01é2 three=é2 three"},
		{"", "😀 ﬁsh", "😀=😀 fish=ﬁsh"},
		{"", "LG전자", "lg=LG전자 전=LG전자 전자=LG전자 자=LG전자"},
		{"", "１２ ab", "12=１２ ab=ab"},
	} {
		var got []string
		tr := traceOf(analyzer(t, tt.spec), []byte(tt.text))
		for _, s := range tr.Spans {
			got = append(got, s.Term+"="+tr.Parts[s.Part].Text[s.Start:s.End])
		}
		if joined := strings.Join(got, " "); joined != tt.want {
			t.Errorf("%q of %q: %s, want %s", tt.text, tt.spec, joined, tt.want)
		}
	}
}

// A page gives what is seen, what is hidden and each link as a part, and a text that is too
// long says so.
func TestTraceParts(t *testing.T) {
	t.Parallel()
	a := analyzer(t, "")
	var b Bag
	var tr Trace
	b.Record(&tr)
	a.HTML(&b, []byte(`<a href="//ab.de/cd">Buy</a><b hidden>not</b>`))
	a.Text(&b, "subject", []byte("ef"))
	var got []string
	for _, p := range tr.Parts {
		got = append(got, p.Name+"="+p.Text)
	}
	if want := []string{"url=//ab.de/cd", "=Buy", "Anchor=Buy\n", "invisible=\nnot\n", "subject=ef"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	b.Reset()
	b.Record(nil)
	spans := len(tr.Spans)
	a.Text(&b, "", []byte("more"))
	if len(tr.Spans) != spans {
		t.Error("it goes on")
	}
	long := bytes.Repeat([]byte("word "), MaxText/5+10)
	at := traceOf(a, long)
	var want Bag
	a.Text(&want, "", long)
	checkTrace(t, a, at, &want)
	if last := at.Spans[len(at.Spans)-1]; last != (Span{limitText, 0, 0, 0}) {
		t.Errorf("%+v", last)
	}
}

// The strongest are what a look at each byte finds.
func TestStrongest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const n = 30
		tr := Trace{Parts: []Part{{Text: strings.Repeat("x", n)}, {Text: "y"}}}
		weights := map[string]float64{"a": 1, "b": -2, "c": 3, "d": 0}
		for range rapid.IntRange(0, 12).Draw(t, "spans") {
			start := rapid.IntRange(0, n-1).Draw(t, "start")
			term := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, "term")
			tr.Spans = append(tr.Spans, Span{term, 0, start, rapid.IntRange(start, n).Draw(t, "end")})
		}
		tr.Spans = append(tr.Spans, Span{"c", -1, 0, 0})
		want, got := make([]string, n), make([]string, n)
		for at := range n {
			for _, s := range tr.Spans {
				if s.Part == 0 && s.Start <= at && at < s.End && weights[s.Term] != 0 && math.Abs(weights[s.Term]) >= math.Abs(weights[want[at]]) {
					want[at] = s.Term
				}
			}
		}
		strongest, end := tr.Strongest(weights), 0
		for _, s := range strongest[0] {
			if s.Start < end || s.End <= s.Start {
				t.Fatalf("%+v", strongest[0])
			}
			for end = s.Start; end < s.End; end++ {
				got[end] = s.Term
			}
		}
		if !slices.Equal(got, want) || len(strongest) != 2 || len(strongest[1]) > 0 {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}

// A run of which every character has all as its place, as one that is folded has, is shown in
// a time that grows with its length.
func TestStrongestLong(t *testing.T) {
	t.Parallel()
	const n = 1 << 20
	tr := Trace{Parts: []Part{{Text: strings.Repeat("x", n)}}}
	for range n / 4 {
		tr.Spans = append(tr.Spans, Span{"a", 0, 0, n})
	}
	if got := tr.Strongest(map[string]float64{"a": 1}); len(got[0]) != 1 || got[0][0] != (Span{"a", 0, 0, n}) {
		t.Errorf("%+v", got)
	}
}
