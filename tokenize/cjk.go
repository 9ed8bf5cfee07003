package tokenize

import (
	"bytes"
	"iter"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// isUnspaced reports whether r is in a block of one of the scripts of South-East
// Asia that put no space between words, whose words only a dictionary could tell
// apart: Thai, Lao, Burmese, Khmer, Tai, Balinese, Javanese, Ahom. Han and
// Hiragana are treated alike, but segment knows these.
func isUnspaced(r rune) bool {
	switch {
	case r < 0x0E00:
		return false
	case r <= 0x1FFF:
		return r <= 0x0EFF || // Thai, Lao
			0x1000 <= r && r <= 0x109F || // Burmese
			0x1780 <= r && r <= 0x17FF || // Khmer
			0x1950 <= r && r <= 0x19FF || // Tai Le, New Tai Lue
			0x1A20 <= r && r <= 0x1AAF || // Tai Tham
			0x1B00 <= r && r <= 0x1B7F // Balinese
	}
	return 0xA980 <= r && r <= 0xA9FF || // Javanese, Burmese
		0xAA60 <= r && r <= 0xAADF || // Burmese, Tai Viet
		0x116D0 <= r && r <= 0x116FF || // Burmese
		0x11700 <= r && r <= 0x1174F // Ahom
}

// grams counts the characters of a run and the overlapping pairs of them. Korean has them too: its
// words end in particles, and few meet again.
func (w *worker) grams(run []byte) {
	if !isPlain(run) {
		// These scripts have no case, so text in normal form is already folded, except for
		// letters of other scripts in it.
		w.spare = strip(w.spare[:0], run)
		if norm.NFKC.QuickSpan(w.spare) == len(w.spare) && bytes.IndexFunc(w.spare, unicode.IsUpper) < 0 {
			run = w.spare
		} else {
			run = w.fold(run)
		}
	}
	for gram := range gramsOf(run) {
		w.emitAlone(gram)
	}
}

func (w *worker) addGrams(run []byte) {
	for gram := range gramsOf(run) {
		w.addTerm(gram)
	}
}

// gramsOf iterates over the characters of a run and their pairs: a, ab, b, bc, c. It leaves out
// what cannot be a term, too long or with a colon: segment joins some of these scripts with
// letters and the punctuation between letters, and a colon in a term would end a field.
func gramsOf(run []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for first := cluster(run); len(run) > 0; {
			second := cluster(run[first:])
			for _, gram := range [...][]byte{run[:first], run[:first+second]} {
				if len(gram) <= MaxTermBytes-maxField-1 && bytes.IndexByte(gram, ':') < 0 && !yield(gram) {
					return
				}
				if second == 0 {
					return // the last one
				}
			}
			run, first = run[first:], second
		}
	}
}

// isPlain reports whether text consists of ideographs, Hiragana and Hangul that
// normalisation does not change.
func isPlain(text []byte) bool {
	return !bytes.ContainsFunc(text, func(r rune) bool { return !isPlainRune(r) })
}

// isHangul recognises whole syllables. NFKC makes them of single letters.
func isHangul(r rune) bool { return '\uac00' <= r && r <= '\ud7a3' }

// hangulRun returns the length of the Hangul at the beginning of text, or of the text before
// Hangul or a separator. It reads no further, since a word may have many parts.
func hangulRun(text []byte) (n int, hangul bool) {
	hangul = isHangul(firstRune(text))
	for n < len(text) {
		r, size := utf8.DecodeRune(text[n:])
		if isHangul(r) != hangul || parts(r) {
			break
		}
		n += size
	}
	return n, hangul
}

// cluster returns the length of the first character of run with its attachments: marks
// after it, the vowel signs that Thai and Lao write before a consonant, a consonant
// stacked below, and a Burmese consonant that ends the syllable.
func cluster(run []byte) int {
	r, n := utf8.DecodeRune(run)
	if isPlainRune(r) {
		if n == len(run) || run[n] >= 0xE1 && isPlainRune(firstRune(run[n:])) {
			return n
		}
	}
	for n < len(run) {
		next, size := utf8.DecodeRune(run[n:])
		if !unicode.IsMark(next) && !isLeadingVowel(r) && !isStacker(r) && !isTrailingVowel(next) &&
			!isFinal(next, run[n+size:]) {
			break
		}
		r = next
		n += size
	}
	return n
}

// isPlainRune recognises characters that have no marks.
func isPlainRune(r rune) bool {
	return 0x4E00 <= r && r <= 0x9FFF || 0x3041 <= r && r <= 0x3096 || isHangul(r)
}

// isFinal recognises a Burmese consonant whose vowel is killed.
func isFinal(r rune, behind []byte) bool {
	return '\u1000' <= r && r <= '\u1021' && firstRune(behind) == '\u103a'
}

// isLeadingVowel recognises the vowels that stand before their consonant.
func isLeadingVowel(r rune) bool {
	return '\u0e40' <= r && r <= '\u0e44' || '\u0ec0' <= r && r <= '\u0ec4'
}

// isTrailingVowel recognises the vowels after their consonant that Unicode classes as
// letters.
func isTrailingVowel(r rune) bool {
	switch r {
	case '\u0e30', '\u0e32', '\u0e33', '\u0e45', '\u0eb0', '\u0eb2', '\u0eb3':
		return true
	}
	return false
}

// isStacker recognises the marks that put the next consonant below the last.
func isStacker(r rune) bool { return r == '\u17d2' || r == '\u1039' }
