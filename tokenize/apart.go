package tokenize

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/polya-classifier/polya/tokenize/internal/window"
)

const (
	// leastApart is the number of letters that are one word if they stand apart: shorter rows
	// are initials and abbreviations, such as U.S.A, unless longer ones of the text have the
	// same gaps.
	leastApart = 5

	// maxGap is the number of bytes between them: an emoji, a dash between blanks, or the
	// lines that the cells of a table make.
	maxGap = 8

	// firstUnspaced is before all scripts whose words no space separates.
	firstUnspaced = 'ก'
)

// rejoin counts the word of which a text has the first letter at start and the others after
// equal gaps, as in "v i a g r a", and returns its end, 0 if no such word begins there. The
// letters are still to be counted.
func (w *worker) rejoin(text []byte, start int) int {
	if w.links > 0 {
		return 0
	}
	size, ok := letterAt(text, start)
	if !ok {
		return 0
	}
	gap, next := gapAfter(text, start+size)
	if next == 0 {
		return 0
	}
	end, n := start+size, 1
	for other := gap; next > 0 && string(other) == string(gap) && (text[end+len(gap)] < utf8.RuneSelf) == (text[start] < utf8.RuneSelf); n++ {
		end += len(gap) + next
		other, next = gapAfter(text, end)
	}
	if n < leastApart && string(gap) != string(w.gap) {
		return 0
	}
	if n > maxRunes {
		return end // no word, and not to be tried again
	}
	word := w.second[:0]
	for at := start; at < end; at += len(gap) {
		_, size := utf8.DecodeRune(text[at:])
		word = append(word, text[at:at+size]...)
		at += size
	}
	w.gap, w.second = append(w.gap[:0], gap...), word
	w.another(word, "disguise:apart")
	return end
}

// another counts another reading of a part of a text, and how that was written.
func (w *worker) another(word []byte, sign string) {
	pairs := w.pairs
	w.pairs = false
	if isASCII(word) {
		w.asciiWord(word, 0, len(word), false)
	} else {
		w.form(word)
	}
	w.pairs = pairs
	w.sign(sign)
}

// gapAfter returns the gap between a letter that stands alone, and ends at a place of text,
// and the next letter that does, and the length of that one; 0 if there is none.
func gapAfter(text []byte, at int) (gap []byte, next int) {
	for i := at; i < len(text) && i <= at+maxGap; {
		if c := text[i]; c < utf8.RuneSelf {
			if class[c]&alnum == 0 {
				i++
				continue
			}
		} else if r, n := utf8.DecodeRune(text[i:]); !unicode.In(r, unicode.L, unicode.M, unicode.N) {
			i += n
			continue
		}
		if size, ok := letterAt(text, i); ok && i > at && isGap(text[at:i], text[at-1] < utf8.RuneSelf) {
			return text[at:i], size
		}
		break
	}
	return nil, 0
}

// isGap reports whether a gap between letters is within the texts that are read at once: those
// of ASCII and those with other letters are read apart.
func isGap(gap []byte, plain bool) bool {
	return !bytes.ContainsAny(gap, window.Spaces) || isASCII(gap) && (plain || len(gap) < gapBytes)
}

// letterAt returns the length of the letter at a place of text, and whether none, no digit
// and no mark follows.
func letterAt(text []byte, at int) (size int, ok bool) {
	if text[at] < utf8.RuneSelf {
		if class[text[at]] != letter {
			return 0, false
		}
		size = 1
	} else {
		r, n := utf8.DecodeRune(text[at:])
		if !unicode.IsLetter(r) || r >= firstUnspaced && (isUnspaced(r) || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)) {
			return 0, false
		}
		size = n
	}
	rest := text[at+size:]
	if len(rest) == 0 {
		return size, true
	}
	if rest[0] < utf8.RuneSelf {
		return size, class[rest[0]]&alnum == 0
	}
	return size, !unicode.In(firstRune(rest), unicode.L, unicode.M, unicode.N)
}

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
