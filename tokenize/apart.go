package tokenize

import (
	"unicode"
	"unicode/utf8"
)

const (
	// leastApart is the number of letters that are one word if they stand apart: shorter rows
	// are initials and abbreviations, such as U.S.A, unless longer ones of the text have the
	// same gaps.
	leastApart = 4

	// maxGap is the number of bytes between them: an emoji, a dash between blanks, or the
	// lines that the cells of a table make.
	maxGap = 8
)

// rejoin counts the word of which a text has the first letter at start and the others after
// equal gaps, as in "v i a g r a", and returns its end, 0 if no such word begins there. The
// letters are still to be counted.
func (w *worker) rejoin(text []byte, start int) int {
	if w.ballot != nil || w.links > 0 {
		return 0
	}
	gap, next := gapAt(text, start)
	if next < 0 {
		return 0
	}
	end, n := start, 0
	for at := start; at >= 0 && (text[at] < utf8.RuneSelf) == (text[start] < utf8.RuneSelf); n++ {
		_, size := utf8.DecodeRune(text[at:])
		end = at + size
		other, after := gapAt(text, at)
		at = after
		if string(other) != string(gap) {
			break
		}
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
		w.trace.Piece(len(word), text[at:at+size])
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
	w.trace.Made(word)
	if isASCII(word) {
		w.asciiWord(word, 0, len(word), false)
	} else {
		w.form(word)
	}
	w.trace.Drop()
	w.pairs = pairs
	w.sign(sign)
}

// gapAt returns the gap between the letter at a place of text, which stands alone, and the
// next letter that does, and the place of that one; -1 if there is none.
func gapAt(text []byte, at int) (gap []byte, next int) {
	size, ok := letterAt(text, at)
	if !ok {
		return nil, -1
	}
	at += size
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
		if _, ok := letterAt(text, i); ok && i > at && isGap(text[at:i], size == 1) {
			return text[at:i], i
		}
		break
	}
	return nil, -1
}

// isGap reports whether a gap between letters is within the texts that are read at once: those
// of ASCII and those with other letters are read apart.
func isGap(gap []byte, plain bool) bool {
	return lastSpace(gap) < 0 || isASCII(gap) && (plain || len(gap) < gapBytes)
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
		if !unicode.IsLetter(r) || isUnspaced(r) || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
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
