package tokenize

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

const (
	// maxGrowth is the number of bytes by which normalisation may lengthen the long words of a
	// document. No writing needs it: a character that stands for several words is a word of
	// its own, and a text of "ﷺ" alone becomes eleven times as long.
	maxGrowth = 64 << 10

	// limitGrowth is the term of a document of which ligatures were left out.
	limitGrowth = "limit:ligatures"

	// A ligature is a character that normalisation makes more than so many times as long.
	// There are some thirty.
	ligature = 3
)

// foldLimited is fold, but leaves ligatures out of a long text after maxGrowth.
func (w *worker) foldLimited(text []byte) []byte {
	if len(text) <= maxCached {
		return w.fold(text)
	}
	if w.bag.grown > maxGrowth {
		if few := withoutLigatures(text); len(few) < len(text) {
			w.bag.addOnce([]byte(limitGrowth))
			text = few
		}
	}
	folded := w.fold(text)
	w.bag.grown += max(0, len(folded)-len(text))
	return folded
}

func withoutLigatures(text []byte) []byte {
	var few []byte
	for len(text) > 0 {
		_, n := utf8.DecodeRune(text)
		if len(norm.NFKC.Properties(text).Decomposition()) <= ligature*n {
			few = append(few, text[:n]...)
		}
		text = text[n:]
	}
	return few
}

// clean appends text to dst as valid UTF-8 without zero width spaces inside words.
// Segment needs that: it silently stops for good at the first invalid byte. A byte that
// is not UTF-8 is read as Windows-1252, the usual charset of unlabelled 8-bit mail; text
// in another charset gives wrong words, but the same ones each time, so that they are
// still evidence.
func clean(dst, text []byte) []byte {
	if utf8.Valid(text) && !bytes.Contains(text, zeroWidthSpace) && !hasEnclosed(text) {
		return append(dst, text...)
	}
	before := rune(0)
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			r = charmap.Windows1252.DecodeByte(text[i])
		}
		if c := letterOf(r, text[:i], text[i+n:]); c != 0 {
			r = rune(c)
		}
		i += n
		if r != '\u200b' {
			before = r
			dst = utf8.AppendRune(dst, r)
			continue
		}
		if isUnspaced(before) {
			dst = append(dst, ' ')
		}
	}
	return dst
}
