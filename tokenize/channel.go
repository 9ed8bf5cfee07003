package tokenize

import (
	"unicode"
	"unicode/utf8"

	"github.com/polya-classifier/polya/tokenize/internal/window"
)

// channelMark is the first byte of a term of a channel. A control character is in no word
// and in no name of a field, and so in no other term.
const channelMark = 1

const (
	// MaxChannel is the largest number of channel terms counted in a document. Mail and pages
	// have some thousand; a text made to fill a database has any number.
	MaxChannel = 1 << 13

	// maxGramText bounds the text that grams are made of: its first and its last half.
	maxGramText = 2 * MaxChannel

	// limitChannel is the term of a document whose channel terms were cut.
	limitChannel = "limit:channel"

	gramSize = 4

	// shortText is the number of characters of the longest text that counts as short: one of
	// some hundred words says enough by its words.
	shortText = 512
)

// channel counts the term in w.apart, unless the limit is reached.
func (w *worker) channel() {
	if !w.bag.addChannel(w.apart) {
		w.bag.addOnce([]byte(limitChannel))
	}
}

// foursOf counts the code points of a text, four by four: normalised as words are, with one
// blank for each run of white space and control characters and one at both ends.
func (w *worker) foursOf(text []byte) {
	if len(text) <= maxGramText {
		w.foursIn(text)
		return
	}
	w.foursIn(window.First(text, maxGramText/2))
	w.foursIn(window.Last(text, maxGramText/2))
	w.bag.addOnce([]byte(limitChannel))
}

// foursIn is foursOf for text that is not too long.
func (w *worker) foursIn(text []byte) {
	w.cleaned = clean(w.cleaned[:0], text)
	plain := append(w.spaced[:0], ' ')
	for _, r := range string(w.foldLimited(w.cleaned)) {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			if r = ' '; plain[len(plain)-1] == ' ' {
				continue
			}
		}
		plain = utf8.AppendRune(plain, r)
	}
	if plain[len(plain)-1] != ' ' {
		plain = append(plain, ' ')
	}
	w.spaced = plain
	end := 0
	for n := 0; end < len(plain); n++ {
		_, size := utf8.DecodeRune(plain[end:])
		end += size
		if n < gramSize-1 {
			continue
		}
		w.apart = append(append(w.apart[:0], channelMark), plain[:end]...)
		w.channel()
		_, size = utf8.DecodeRune(plain)
		plain, end = plain[size:], end-size
	}
}
