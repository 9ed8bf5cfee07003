package tokenize

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

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
