package window

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// Both are parts of the text of the wanted length at most, and no rune and, where
// white space is near, no word is in pieces.
func TestWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(rapid.StringOf(rapid.SampledFrom([]rune("ab é中\n"))).Draw(t, "text"))
		n := rapid.IntRange(0, len(text)+2).Draw(t, "n")
		first, last := First(text, n), Last(text, n)
		if len(first) > n || len(last) > n || !bytes.HasPrefix(text, first) || !bytes.HasSuffix(text, last) {
			t.Fatalf("%q and %q of %q", first, last, text)
		}
		if n >= len(text) && (len(first) < len(text) || len(last) < len(text)) {
			t.Fatalf("%q and %q of %q, which fits", first, last, text)
		}
		if !utf8.Valid(first) || !utf8.Valid(last) {
			t.Fatalf("%q and %q of %q: a rune in pieces", first, last, text)
		}
		if k := len(first); bytes.ContainsAny(first, " \n") && k < len(text) && bytes.IndexByte([]byte(Spaces), text[k]) < 0 {
			t.Fatalf("%q of %q ends within a word", first, text)
		}
		if k := len(text) - len(last); bytes.ContainsAny(last, " \n") && k > 0 && bytes.IndexByte([]byte(Spaces), text[k]) < 0 {
			t.Fatalf("%q of %q begins within a word", last, text)
		}
	})
}

// Without white space the length is all that is asked.
func TestNoSpace(t *testing.T) {
	text := bytes.Repeat([]byte("a"), 10*far)
	if first, last := First(text, 5*far), Last(text, 5*far); len(first) != 5*far || len(last) != 5*far {
		t.Errorf("%d and %d bytes", len(first), len(last))
	}
}
