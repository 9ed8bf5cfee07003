package tokenize

import (
	"bytes"
	"strings"
	"testing"
)

// pageTerms are the terms of a page in fields of its own, and the limits met.
func pageTerms(a *Analyzer, text string) string {
	var b, kept Bag
	a.HTML(&b, []byte(text))
	for i := range b.Len() {
		if term, n := b.At(i); 'A' <= term[0] && term[0] <= 'Z' || bytes.HasPrefix(term, []byte("limit:")) {
			kept.AddN(term, n)
		}
	}
	return list(&kept)
}

func TestPageFields(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"title", "<title>Big &amp; News</title>body", "Title:big|Title:news"},
		{"first title", "<title></title><title>One two</title><svg><title>Three</title></svg>", "Title:one|Title:two"},
		{"headings", "ab<h1>cd</h1>ef<H6 class=x>gh<b>ij</b></H6>kl", "Heading:cd|Heading:ghij"},
		{"heading closed by another's end", "<h1>ab</h2>cd", "Heading:ab"},
		{"heading in a heading", "<h1>ab<h2>cd</h1>ef", "Heading:ab|Heading:cd"},
		{"heading without end", "<h1>ab<p>cd", "Heading:ab|Heading:cd"},
		{"header and hgroup", "<header>ab</header><hgroup>cd</hgroup><h7>ef</h7>", ""},
		{"anchor", "ab<a href=/x>cd ef</a>gh", "Anchor:cd|Anchor:ef"},
		{"anchor in a word", "v<a href=/x>iagra</a>", "Anchor:iagra"},
		{"anchor of a picture", `<a href=/x><img alt="ab cd"></a>`, "Anchor:ab|Anchor:cd"},
		{"anchor with a title", `<a href=/x title="ab">cd</a>`, "Anchor:cd"},
		{"anchor without link", "<a name=x>ab</a>cd", ""},
		{"anchor ends at the next", "<a href=/x>ab<a name=y>cd</a>ef", "Anchor:ab"},
		{"anchors side by side", "<a href=/x>ab</a><a href=/y>cd</a>", "Anchor:ab|Anchor:cd"},
		{"anchor without end", "<a href=/x>ab<p>cd", "Anchor:ab|Anchor:cd"},
		{"link in a heading", "<h2>ab <a href=/x>cd</a></h2>", "Heading:ab|Heading:cd|Anchor:cd"},
		{"hidden", "<h1 hidden>ab</h1><div style=display:none><a href=/x>cd</a></div><h2>e<b hidden>xx</b>f</h2>", "Heading:ef"},
		{"script", "<h1>ab<script>cd</script></h1>", "Heading:ab"},
		{"often", strings.Repeat("<h1>ab</h1>", 300), "Heading:ab*255"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := pageTerms(analyzer(t, "polya-7 channel=off"), tt.text); got != tt.want {
				t.Errorf("%q:\n got %s\nwant %s", tt.text, got, tt.want)
			}
		})
	}
}

// The fields have stems too.
func TestPageFieldsLanguage(t *testing.T) {
	got := pageTerms(analyzer(t, "polya-7 channel=off lang=en stem=on"), "<title>Running foxes</title><p>The<td>running<td>of<td>foxes<p>and")
	if want := "Title:run|Title:fox"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Of what is too long the beginning and the end are counted, and a term says so.
func TestPageFieldsLimit(t *testing.T) {
	a := analyzer(t, "polya-7 channel=off")
	for _, tt := range []struct{ open, closed, field, limit string }{
		{"<title>", "</title>", "Title:", "limit:title"},
		{"<h2>", "</h2>", "Heading:", "limit:heading"},
		{"<a href=/>", "</a>", "Anchor:", "limit:anchor"},
	} {
		for _, n := range []int{MaxMarked, MaxMarked + 2} { // and a line feed
			var b Bag
			a.HTML(&b, []byte("<p>"+tt.open+"plum "+strings.Repeat("x ", n/2-len("plum cherry ")/2)+"cherry"+tt.closed))
			if got, want := b.count([]byte(tt.limit)), (n-MaxMarked)/2; got != want {
				t.Errorf("%s of %d bytes: %s %d times, want %d", tt.field, n, tt.limit, got, want)
			}
			for _, word := range []string{"plum", "cherry"} {
				if b.count([]byte(tt.field+word)) != 1 || b.count([]byte(word)) != 1 {
					t.Errorf("%s of %d bytes lacks %s", tt.field, n, word)
				}
			}
		}
		var b Bag
		a.HTML(&b, bytes.Repeat([]byte(tt.open+"word"+tt.closed), 1<<20/len(tt.open)))
		if many := tt.field != "Title:"; many != (b.count([]byte(tt.limit)) == 1) || many != (b.count([]byte(tt.field+"word")) == MaxCount) {
			t.Errorf("%s many times: %s", tt.field, list(&b))
		}
	}
}
