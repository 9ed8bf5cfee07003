package tokenize

import (
	"bytes"
	"html"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

// FuzzWhole compares the terms of a text with the slow way to them: all of it goes
// through segment at once, also what is ASCII, in place of pieces that part at white
// space. It is read several times over too, so that pieces have an end within.
func FuzzWhole(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s), uint8(0), false)
		f.Add([]byte(s), uint8(99), true)
	}
	analyzers := map[bool]*Analyzer{false: analyzer(f, "polya-7 channel=off min=1"), true: analyzer(f, "polya-7 channel=off lang=en stem=on ngram=2")}
	f.Fuzz(func(t *testing.T, text []byte, times uint8, full bool) {
		if len(text) >= lookBack {
			return // words may be parted where no white space is for as long
		}
		if bytes.Contains(text, rightToLeft) {
			return // which is put in order before
		}
		text = bytes.Repeat(append(text[:len(text):len(text)], '\n'), 1+int(times%40))
		a := analyzers[full]
		var got, want Bag
		a.Text(&got, "", text)
		w := a.take(&want)
		w.setField("")
		w.context = contextOf(text[ascii.Prefix(text):])
		w.foreign(text)
		a.release(w)
		same(t, &got, &want)
	})
}

// FuzzHTMLText asks that text in a page, its special characters written as entities and
// with tags in it that part no words, has the terms that it has alone.
func FuzzHTMLText(f *testing.F) {
	for _, s := range seeds {
		f.Add(s, "a", uint8(7))
	}
	f.Add("a<b>&amp;c\"d'e", "\r\n&", uint8(1))
	a := analyzer(f, "polya-7 channel=off min=1")
	f.Fuzz(func(t *testing.T, before, behind string, way uint8) {
		if strings.ContainsAny(before+behind, "\x00\r") {
			return // which HTML reads as something else
		}
		var got, want Bag
		field := ""
		open, closed := "", ""
		switch way % 4 {
		case 1:
			open, closed = "<b class='c'><!-- <p> -->", "</b>"
		case 2:
			open, closed = "<xyz><span style='color:red'>", "<i></span></i>"
		case 3:
			before = ""
			open, closed = "<div hidden>", "</div>"
			field = "invisible"
		}
		a.HTML(&got, []byte(html.EscapeString(before)+open+html.EscapeString(behind)+closed))
		a.Text(&want, field, []byte(before+behind))
		same(t, &got, &want)
	})
}
