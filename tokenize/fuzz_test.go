package tokenize

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// seeds are texts with something of everything.
var seeds = []string{
	englishText,
	"l’été à Nîmes http://example.com/é?u=www.x.org/ V\u200biagra via\u00adgra ＶＩＡ １２ \ufdfa",
	"東京タワー らーめん 한국어 LG전자 ภาษาไทย ខ្មែរ မြန်မာ \U00031350 ꦗꦮ 𞤀𞤣",
	"caf\xe9 \xff\xfe\x00a\x00 \xed\xa0\x80 \xf0\x9f\x98 \u0301a\u0301 \u200d😀\u200d",
	"a:b é:c foo_bar ___ 1,234.56 ½ m² İ ΟΔΟΣ ß ﬃ \u2028 \u0085",
}

// checkTerms fails the test unless all terms in b are as promised.
func checkTerms(t testing.TB, b *Bag) {
	t.Helper()
	for i := range b.Len() {
		term, n := b.At(i)
		if len(term) == 0 || len(term) > MaxTermBytes || n < 1 || n > MaxCount || !utf8.Valid(term) {
			t.Fatalf("term %q, %d times", term, n)
		}
		if bytes.ContainsAny(term, "\x00\n\r\t\u200b\u00ad\ufeff") {
			t.Fatalf("term %q", term)
		}
	}
}

// checkPlain fails the test if a term without a known field has a colon.
func checkPlain(t testing.TB, b *Bag, fields ...string) {
	t.Helper()
	for i := range b.Len() {
		term, _ := b.At(i)
		field, _, ok := strings.Cut(string(term), ":")
		for _, f := range fields {
			ok = ok && field != f
		}
		if ok {
			t.Fatalf("%q has a field that nobody gave it", term)
		}
		if term[0] == channelMark {
			t.Fatalf("%q is of a channel", term)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	warm := map[bool]*Analyzer{
		false: analyzer(f, "polya-7 channel=off min=1"),
		true:  analyzer(f, "polya-7 channel=off lang=en stem=on ngram=2"),
	}
	f.Fuzz(func(t *testing.T, text []byte, stem bool) {
		before := bytes.Clone(text)
		var got, want Bag
		warm[stem].Text(&got, "", text)
		analyzer(t, warm[stem].Spec()).Text(&want, "", text)
		if !bytes.Equal(text, before) {
			t.Fatal("the text was changed")
		}
		same(t, &got, &want)
		checkTerms(t, &got)
		checkPlain(t, &got, "url", "path", "disguise")

		// A field is put before the terms and changes nothing else, but that lengths of
		// numbers are not counted.
		var field Bag
		warm[stem].Text(&field, "ff", text)
		words := got.Tokens()
		for i := range got.Len() {
			if term, n := got.At(i); term[0] == '#' {
				words -= n
			}
		}
		if field.Tokens() != words {
			t.Fatalf("%d terms in a field, %d without", field.Tokens(), words)
		}
		checkPlain(t, &field, "url", "path", "ff", "disguise")
	})
}

// FuzzSegment asks for what scanner.reset relies on.
func FuzzSegment(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		text = clean(nil, text)
		if !utf8.Valid(text) || bytes.Contains(text, zeroWidthSpace) {
			t.Fatalf("%q is not clean", text)
		}
		var s scanner
		s.reset(text)
		if joined := bytes.Join(s.tokens, nil); !bytes.Equal(joined, text) {
			t.Fatalf("the tokens of %q are %q", text, s.tokens)
		}
		end := 0
		for {
			from, to, kind := s.next()
			if kind == kindEnd {
				break
			}
			if from < end || to <= from || to > len(text) {
				t.Fatalf("found %d to %d behind %d in %q", from, to, end, text)
			}
			end = to
		}
	})
}

// FuzzFold asks whether a folded word stays as it is.
func FuzzFold(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	w := newWorker(spec{})
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<10 || !utf8.Valid(text) {
			return
		}
		once := bytes.Clone(w.fold(text))
		if twice := w.fold(once); !bytes.Equal(once, twice) {
			t.Fatalf("%+q became %+q, then %+q", text, once, twice)
		}
		if !utf8.Valid(once) {
			t.Fatalf("%+q became %+q", text, once)
		}
	})
}

func FuzzHTML(f *testing.F) {
	f.Add([]byte("<title>a&amp;b</title><p style='display:none'>c<p>V<b>i</b>agra<img src=x alt='d e'>"))
	f.Add([]byte("<div hidden>x<div>y</div>z</div><script><!--<script></script></script><plaintext>a"))
	f.Add([]byte("<a href='http://example.com/é'>é</a><!-- --!><svg><style><![CDATA[x]]>"))
	warm := analyzer(f, "polya-7 channel=off")
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		var got, want Bag
		warm.HTML(&got, text)
		other := analyzer(t, "polya-7 channel=off")
		var p Page
		p.Read(text)
		for _, link := range p.Links {
			other.URL(&want, link)
		}
		other.Text(&want, "", p.Visible)
		for kind, field := range markedFields { // beside all others
			other.Text(&want, field.name, p.marked[kind].text)
		}
		other.Text(&want, "invisible", p.Invisible)
		for _, sign := range p.Signs {
			want.Add([]byte(sign))
		}
		if !bytes.Equal(text, before) {
			t.Fatal("the text was changed")
		}
		checkTerms(t, &got)
		checkPlain(t, &got, "url", "path", "invisible", titleField, headingField, anchorField, "limit", "disguise")
		if len(text) <= MaxMarked {
			same(t, &got, &want)
		}
	})
}
