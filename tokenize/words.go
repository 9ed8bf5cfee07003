package tokenize

import (
	"bytes"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

const (
	// maxRunes is the longest word. Longer ones are encodings (base64 lines,
	// hashes, keys) that never occur a second time: the longest words of running
	// text in the corpora measured have under 30 letters.
	maxRunes = 40

	// blockBytes is how much text that is not ASCII goes through segment at
	// once. It needs 32 bytes a token, and a token may be a single byte.
	blockBytes = 16 << 10

	// lookBack is how far before the first foreign character of a line its
	// word may begin.
	lookBack = 1 << 10

	// gapBytes of ASCII between foreign words go through segment with
	// them, because a change of method costs as much.
	gapBytes = 4

	// maxField is the longest name of a field.
	maxField = 40
)

// A worker is what one call needs: buffers, a cache, scanners. It serves one
// call at a time.
type worker struct {
	bag *Bag

	// From the spec.
	auto  bool // language is chosen per call
	fixed language
	stem  bool
	stop  bool
	plain bool // an ASCII word needs only lower case
	pairs bool
	min   int

	lang   language // of the text in hand
	ballot *ballot  // not nil: terms go there, not into the bag
	box    ballot

	buf    []byte // field and colon, then the term in hand
	prefix int    // length of field and colon
	links  int    // how many links deep the text in hand lies
	before []byte // the word before, for pairs
	both   []byte // a pair behind its field

	cache  formCache
	outer  scanner // of the text
	inner  scanner // of one normalised form
	caser  cases.Caser
	iter   norm.Iter
	stems  stemmers
	clean  []byte // outer's text
	folded []byte
	normal []byte // and spare: steps on the way to folded
	spare  []byte
	terms  []byte // of one form: each behind a byte with its length
	target []byte // the link in hand
	page   page
}

func newWorker(s spec) *worker {
	return &worker{
		auto:  s.lang == auto && (s.stem || s.stop),
		fixed: max(s.lang, none),
		stem:  s.stem,
		stop:  s.stop,
		plain: !s.stem && !s.stop,
		pairs: s.ngram == 2,
		min:   s.min,
		lang:  none,
		buf:   make([]byte, maxField+1+256),
		caser: cases.Fold(),
	}
}

// shrink lets go of what an unusually large document left behind.
func (w *worker) shrink() { w.page.shrink() }

// analyze counts the terms of text behind field.
func (w *worker) analyze(field string, text []byte) {
	w.setField(field)
	w.lang = w.fixed
	if w.auto {
		w.lang = w.elect(text)
	}
	w.text(text)
}

// setField makes field and a colon the beginning of all terms that follow.
func (w *worker) setField(field string) {
	w.before = w.before[:0]
	w.prefix = 0
	if field != "" {
		n := copy(w.buf[:maxField], field)
		w.buf[n] = ':'
		w.prefix = n + 1
	}
}

// text counts the words of text. ASCII and the rest part at white space, next
// to which there is always a word boundary.
func (w *worker) text(text []byte) {
	for len(text) > 0 {
		n := asciiPrefix(text)
		if n == len(text) {
			w.ascii(text)
			return
		}
		n = foreignStart(text, n)
		w.ascii(text[:n])
		text = text[n:]
		n = foreignEnd(text)
		w.foreign(text[:n])
		text = text[n:]
	}
}

// foreignStart is where the word begins that the byte at i is part of: behind
// the last white space, or behind the last character that ends a word where there
// is no white space for very long.
func foreignStart(text []byte, i int) int {
	low := max(0, i-lookBack)
	if n := lastSpace(text[low:i]); n >= 0 || low == 0 {
		return low + n + 1
	}
	for k := i; k > low; k-- {
		if class[text[k-1]] == 0 {
			return k
		}
	}
	return low
}

// foreignEnd is how much of text, which begins with a foreign word, goes through
// segment: at least one byte, at most blockBytes.
func foreignEnd(text []byte) int {
	end := min(len(text), blockBytes)
	for i := asciiPrefix(text[:end]); i < end; {
		for i < end && !isSpace(text[i]) {
			i++
		}
		gap := asciiPrefix(text[i:min(end, i+gapBytes)])
		if i+gap == min(end, i+gapBytes) && i < end {
			return i
		}
		i += gap
	}
	if end == len(text) {
		return end
	}
	if n := lastSpace(text[:end]); n > 0 {
		return n
	}
	for n := end; n > end-4; n-- { // no rune in pieces
		if text[n]&0xC0 != 0x80 {
			return n
		}
	}
	return end
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

func lastSpace(text []byte) int {
	for i := len(text) - 1; i >= 0; i-- {
		if isSpace(text[i]) {
			return i
		}
	}
	return -1
}

// emit counts the term of n bytes that stands in buf behind the field.
func (w *worker) emit(n int) {
	w.bag.Add(w.buf[:w.prefix+n])
	if w.pairs {
		w.pair(w.buf[w.prefix : w.prefix+n])
	}
}

// emitAlone counts a term that is no word, and so has no part in pairs.
func (w *worker) emitAlone(term []byte) {
	n := copy(w.buf[w.prefix:], term)
	w.bag.Add(w.buf[:w.prefix+n])
	w.before = w.before[:0]
}

// emitTerm counts a term that stands elsewhere.
func (w *worker) emitTerm(term []byte) {
	if w.ballot != nil {
		w.ballot.cast(term)
		return
	}
	w.emit(copy(w.buf[w.prefix:], term))
}

// pair counts the word before and term as one term, with a blank between.
func (w *worker) pair(term []byte) {
	if len(w.before) > 0 {
		w.before = append(append(w.before, ' '), term...)
		w.both = append(append(w.both[:0], w.buf[:w.prefix]...), w.before...)
		w.bag.Add(w.both)
	}
	w.before = append(w.before[:0], term...)
}

// form counts the terms of a surface form, from the cache where it is known.
func (w *worker) form(form []byte) {
	terms, hash := w.cache.get(form, w.lang)
	if terms == nil {
		terms = w.termsOf(form)
		w.cache.put(hash, form, w.lang, terms)
	}
	for len(terms) > 0 {
		n := int(terms[0])
		w.emitTerm(terms[1 : 1+n])
		terms = terms[1+n:]
	}
}

// foreign counts the words of text that is not all ASCII.
func (w *worker) foreign(text []byte) {
	w.clean = clean(w.clean[:0], text)
	w.outer.reset(w.clean)
	for {
		start, end, kind := w.outer.next()
		if kind == kindEnd {
			return
		}
		part := w.clean[start:end]
		switch {
		case kind == kindGrams:
			w.grams(part)
		case kind == kindSymbol:
			w.symbol(part)
		case w.foreignLink(start, end):
		case isASCII(part):
			w.ascii(part) // which knows more of it: a colon is inside a word for segment
		case part[0] >= 0xEA && isPlain(part):
			w.grams(part) // Hangul
		default:
			w.form(part)
		}
	}
}

// foreignLink counts a link that begins with the word at start.
func (w *worker) foreignLink(start, end int) bool {
	c := w.clean[start] | 0x20
	if c != 'h' && c != 'w' {
		return false
	}
	n := w.link(w.clean, start, end)
	if n == 0 {
		return false
	}
	w.outer.skip(n)
	return true
}

// symbol counts an emoji.
func (w *worker) symbol(r []byte) {
	if w.ballot == nil {
		w.emitAlone(r)
	}
}

// zeroWidthSpace splits words where nothing is seen: legitimate between Khmer or
// Thai words, a disguise elsewhere.
var zeroWidthSpace = []byte("\u200b")

func hasZeroWidthSpace(text []byte) bool { return bytes.Contains(text, zeroWidthSpace) }
