package tokenize

import (
	"bytes"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
	"github.com/polya-classifier/polya/tokenize/internal/window"
)

const (
	// maxRunes is the length of the longest word. Longer ones are words joined by
	// punctuation, or else encodings (base64 lines, hashes, keys) that never recur.
	maxRunes = 40

	// blockBytes is how much non-ASCII text goes through segment at once. It needs 32 bytes
	// a token, and a token may be a single byte.
	blockBytes = 16 << 10

	// lookBack is how far before the first non-ASCII character of a line its word may begin.
	lookBack = 1 << 10

	// gapBytes of ASCII between foreign words go through segment with them, because
	// switching costs as much.
	gapBytes = 4
)

// text counts the words of text. It splits ASCII from the rest at white space, which is
// always next to a word boundary.
func (w *worker) text(text []byte) {
	w.context = 0
	for first := true; len(text) > 0; first = false {
		n := ascii.Prefix(text)
		if n == len(text) {
			w.ascii(text)
			return
		}
		if first {
			if bytes.Contains(text[n:], rightToLeft) {
				text = w.displayed(text)
				w.sign("disguise:order")
				w.context = contextOf(text)
				continue
			}
			w.context = contextOf(text[n:])
		}
		n = foreignStart(text, n)
		w.ascii(text[:n])
		text = text[n:]
		n = foreignEnd(text)
		w.foreign(text[:n])
		text = text[n:]
	}
}

// foreignStart returns the beginning of the word that contains the byte at i: after the
// last white space or, if that is very far, after the last character that ends a word.
func foreignStart(text []byte, i int) int {
	low := max(0, i-lookBack)
	if n := bytes.LastIndexAny(text[low:i], window.Spaces); n >= 0 || low == 0 {
		return low + n + 1
	}
	for k := i; k > low; k-- {
		if class[text[k-1]] == 0 {
			return k
		}
	}
	return low
}

// foreignEnd returns how much of text, which begins with a non-ASCII word, goes through
// segment: at least one byte, at most blockBytes.
func foreignEnd(text []byte) int {
	end := min(len(text), blockBytes)
	for i := ascii.Prefix(text[:end]); i < end; {
		word := bytes.IndexAny(text[i:end], window.Spaces)
		if word < 0 {
			break
		}
		i += word
		gap := ascii.Prefix(text[i:min(end, i+gapBytes)])
		if i+gap == min(end, i+gapBytes) {
			return i
		}
		i += gap
	}
	if end == len(text) {
		return end
	}
	if n := bytes.LastIndexAny(text[:end], window.Spaces); n > 0 {
		return n
	}
	for n := end; n > end-4; n-- { // do not split a rune
		if text[n]&0xC0 != 0x80 {
			return n
		}
	}
	return end
}

// foreign counts the words of text that is not all ASCII.
func (w *worker) foreign(text []byte) {
	l := &w.levels[w.links]
	l.clean = clean(l.clean[:0], text)
	l.reset(l.clean)
	l.apart = 0
	for {
		start, end, kind := l.next()
		if kind == kindEnd {
			return
		}
		part := l.clean[start:end]
		if kind == kindWord && start >= l.apart && !isASCII(part) {
			l.apart = w.rejoin(l.clean, start)
		}
		switch {
		case kind == kindGrams:
			w.grams(part)
		case kind == kindSymbol:
			w.emitAlone(part)
		case w.foreignLink(l, start, end):
		case isASCII(part):
			l.skip(w.asciiFrom(l.clean, start, end)) // segment treats a colon as inside a word
		case part[0] >= 0xEA && isPlain(part):
			w.grams(part) // Hangul
		default:
			w.form(part)
		}
	}
}

// foreignLink counts a link that begins with the word at start.
func (w *worker) foreignLink(l *level, start, end int) bool {
	c := l.clean[start] | 0x20
	if c != 'h' && c != 'w' {
		return false
	}
	n := w.link(l.clean, start, end)
	l.skip(n)
	return n > 0
}

// zeroWidthSpace splits words invisibly: legitimate between Khmer or Thai words, a
// disguise elsewhere.
var zeroWidthSpace = []byte("\u200b")
