package tokenize

import (
	"math"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"

	"github.com/polya-classifier/polya/tokenize/internal/window"
)

// MaxText is the number of bytes of one text whose words are counted: the first and the
// last half of that, so that nothing put before or after a text hides it. That is some
// 200,000 words.
const MaxText = 1 << 20

// limitText is the term of a document with a text longer than MaxText.
const limitText = "limit:text"

// maxField is the longest name of a field.
const maxField = 40

// A worker holds buffers, a cache and scanners for one call at a time.
type worker struct {
	bag *Bag

	// From the spec.
	lang    language // whose words are stemmed
	plain   bool     // an ASCII word needs only lower case
	pairs   bool     // pairs of words are terms, too
	min     int
	counted bool // digits are counted
	fours   int  // a text of at most so many characters gives them, four by four, as terms of a channel

	context context // of the current text

	buf             []byte // field and colon, then the current term
	prefix          int    // length of field and colon
	links           int    // nesting depth of links of the current text
	second          []byte // another reading of a word
	before          []byte // the word before, for pairs
	both            []byte // a pair with its field
	apart           []byte // a term of a channel
	gap             []byte // between the letters of the last word whose letters stood apart
	cleaned, spaced []byte // the text of grams

	forms  [][2]cacheEntry
	met    int                 // remembered in forms since that grew
	levels [maxLinks + 1]level // for the text, a link in it, a link in that
	inner  scanner             // for one folded form
	env    *snowballstem.Env   // of stemmers
	folded []byte
	normal []byte // and spare: steps on the way to folded
	spare  []byte
	terms  []byte // of one form: each after a byte with its length
	target []byte // the current link
	page   Page
}

func newWorker(s spec) *worker {
	return &worker{
		lang:    s.stemmed(),
		plain:   s.stemmed() <= none,
		pairs:   s.ngram == 2,
		min:     s.min,
		counted: s.digits,
		fours:   map[string]int{"short": shortText, "grams": math.MaxInt}[s.channel],
		buf:     make([]byte, maxField+1+256),
	}
}

// analyze counts the terms of text in field, within MaxText.
func (w *worker) analyze(field string, text []byte) {
	w.setField(field)
	if w.prefix == 0 && w.fours > 0 && utf8.RuneCount(text) <= w.fours {
		w.foursOf(text)
	}
	w.within(MaxText, limitText, text)
}

// within counts the words of text or, if it has more than limit bytes, of its first and
// its last half of that, and then the term over.
func (w *worker) within(limit int, over string, text []byte) {
	if len(text) <= limit {
		w.text(text)
		return
	}
	w.text(window.First(text, limit/2))
	w.before = w.before[:0]
	w.text(window.Last(text, limit/2))
	w.bag.Add([]byte(over))
}

// disguise begins the terms for what a text does that readers do not see. No word has a colon.
const disguise = "disguise:"

// sign counts such a term, once in a document.
func (w *worker) sign(term string) {
	w.both = append(w.both[:0], term...)
	w.bag.addOnce(w.both)
}

// setField makes field and a colon the prefix of all following terms.
func (w *worker) setField(field string) {
	w.before, w.gap = w.before[:0], w.gap[:0]
	w.prefix = 0
	if field != "" {
		n := copy(w.buf[:maxField], field)
		w.buf[n] = ':'
		w.prefix = n + 1
	}
}

// A level is the state of a text while links in it are counted.
type level struct {
	scanner
	clean []byte // the scanner's text
	apart int    // up to here letters that stand apart are joined
}

// emit counts the term of n bytes in buf after the field.
func (w *worker) emit(n int) {
	w.bag.Add(w.buf[:w.prefix+n])
	if w.pairs {
		w.pair(w.buf[w.prefix : w.prefix+n])
	}
}

// emitAlone counts a term that is not a word and so is not part of pairs.
func (w *worker) emitAlone(term []byte) {
	n := copy(w.buf[w.prefix:], term)
	w.bag.Add(w.buf[:w.prefix+n])
	w.before = w.before[:0]
}

// pair counts the word before and term as one term, with a blank between.
func (w *worker) pair(term []byte) {
	if len(w.before) > 0 {
		w.both = append(append(w.both[:0], w.buf[:w.prefix]...), w.before...)
		w.both = append(append(w.both, ' '), term...)
		w.bag.Add(w.both)
	}
	w.before = append(w.before[:0], term...)
}
