package tokenize

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// Characters that turn the order in which letters are shown, as UTF-8.
var (
	rightToLeft = []byte("\u202e") // until the end of order or of the line
	endOfOrder  = []byte("\u202c")
)

// displayed returns a text with the letters that an override shows from right to left in the
// order in which they are shown.
func (w *worker) displayed(text []byte) []byte {
	out := make([]byte, 0, len(text)+utf8.UTFMax)
	for {
		at := bytes.Index(text, rightToLeft)
		if at < 0 {
			return append(out, text...)
		}
		out, text = append(out, text[:at]...), text[at+len(rightToLeft):]
		n, start := overridden(text), len(out)
		out, text = append(out, text[:n]...), text[n:]
		reverseLines(out[start:])
	}
}

// overridden returns the length of the text that an override at its beginning turns. One
// within it is its own text in the same order.
func overridden(text []byte) int {
	for depth, n := 1, 0; n < len(text); {
		switch rest := text[n:]; {
		case isLineEnd(rune(rest[0])):
			return n
		case bytes.HasPrefix(rest, rightToLeft):
			depth, n = depth+1, n+len(rightToLeft)
		case bytes.HasPrefix(rest, endOfOrder):
			if depth--; depth == 0 {
				return n
			}
			n += len(endOfOrder)
		default:
			n++
		}
	}
	return len(text)
}

func isLineEnd(r rune) bool { return r == '\n' || r == '\r' }

// reverseLines reverses the characters of each line in place.
func reverseLines(text []byte) {
	for line := range bytes.FieldsFuncSeq(text, isLineEnd) {
		for at := 0; at < len(line); {
			_, n := utf8.DecodeRune(line[at:])
			slices.Reverse(line[at : at+n])
			at += n
		}
		slices.Reverse(line)
	}
}
