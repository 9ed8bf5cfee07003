package tokenize

import (
	"bytes"
	"fmt"
	"math/bits"
	"slices"
	"unicode"
)

// A language of stop words and, for the first of them, of a stemmer.
type language int8

const (
	auto language = -2 // chosen for each text
	none language = -1
)

// codes are the languages by their ISO 639-1 codes. Languages after the last one with a
// stemmer are listed so that their texts are not taken for another language.
var codes = []string{
	"en", "fr", "es", "ru", "sv", "no", "hu", "ar", "da", "nl", "fi", "de", "it", "pt", "ro", "tr", "ta", "ga",
	"pl", "cs", "uk", "bg", "ca", "id", "hr", "fa",
}

const (
	russianLang language = 3
	arabicLang  language = 7
	turkishLang language = 15
	tamilLang   language = 16
	lastStemmed language = 17
	languages            = 26
)

// voteBytes of a text vote for its language. Five sentences were enough for every text of
// SIB-200.
const voteBytes = 4 << 10

// A text needs minVotes stop words of its language, and at least one word in minShare
// must be one; otherwise it has no language: names, tables and subject lines should not
// be stemmed by accident.
const (
	minVotes = 3
	minShare = 12

	// tellingWords is the number of words from which a text without enough stop words is none
	// in a language, rather than too short to tell.
	tellingWords = minVotes * minShare
)

func (l language) String() string {
	switch l {
	case auto:
		return "auto"
	case none:
		return "none"
	}
	return codes[l]
}

func (l language) hasStemmer() bool { return l >= 0 && l <= lastStemmed }

func parseLanguage(code string) (language, error) {
	switch code {
	case "auto":
		return auto, nil
	case "none":
		return none, nil
	}
	i := slices.Index(codes, code)
	if i < 0 {
		return none, fmt.Errorf("tokenize: lang=%.40q in the analyzer spec must be auto, none or one of %v", code, codes)
	}
	return language(i), nil
}

// A langSet is a set of languages, a bit each.
type langSet uint32

func (s langSet) has(l language) bool { return s>>uint(l)&1 != 0 }

// A ballot counts the votes of words for the languages they are stop words of. A word
// shared by several languages splits its vote among them.
type ballot struct {
	words int
	hits  [languages]int // words
	votes [languages]int // parts of a vote
}

// wholeVote can be split among 1 to 10 languages without much loss.
const wholeVote = 2520

func (b *ballot) cast(term []byte) {
	b.words++
	set := stopWords()[string(term)]
	if set == 0 && unicode.Is(unicode.Tamil, firstRune(term)) {
		set = 1 << uint(tamilLang)
	}
	for n := bits.OnesCount32(uint32(set)); set != 0; set &= set - 1 {
		l := bits.TrailingZeros32(uint32(set))
		b.hits[l]++
		b.votes[l] += wholeVote / n
	}
}

// winner returns the language with the most votes, if there are enough of them and no
// tie.
func (b *ballot) winner() language {
	best, tie := none, false
	for l := range language(languages) {
		if best < 0 || b.votes[l] > b.votes[best] {
			best, tie = l, false
		} else if b.votes[l] == b.votes[best] {
			tie = true
		}
	}
	if tie || b.hits[best] < minVotes || b.hits[best]*minShare < b.words {
		return none
	}
	return best
}

// elect determines the language of text from its beginning.
func (w *worker) elect(text []byte) language {
	if len(text) > voteBytes {
		text = text[:max(1, foreignStart(text, voteBytes))]
	}
	w.box = ballot{}
	w.ballot, w.direct = &w.box, false
	w.lang = auto // not yet chosen: votes are words, not stems
	w.text(text)
	w.ballot, w.direct = nil, w.plain && w.trace == nil
	w.before = w.before[:0]
	return w.box.winner()
}

// LanguageOf returns the code of the language with a stemmer that the words of a bag are of,
// by its stop words, "" if that cannot be told. The analyzer of the bag must not stop or stem.
func LanguageOf(bag *Bag) string {
	var b ballot
	for i := range bag.Len() {
		term, n := bag.At(i)
		for range n {
			if bytes.IndexByte(term, ':') < 0 { // it has no field
				b.cast(term)
			}
		}
	}
	if l := b.winner(); l.hasStemmer() {
		return l.String()
	}
	return ""
}

// Stemmed says in English which words the analyzer reduces to stems.
func (a *Analyzer) Stemmed() string {
	s := &a.spec
	switch {
	case s.stem == stemOff || s.lang == none:
		return "none"
	case s.lang >= 0 && s.stem == stemAuto && !gains[s.lang.String()]:
		return "none: it was not measured to pay for lang=" + s.lang.String() + "; stem=on does it all the same"
	case s.lang >= 0:
		return "all, as of lang=" + s.lang.String()
	case s.stem == stemAuto:
		return "words in Cyrillic, Arabic and Tamil letters, and Turkish ones; not English, German or others in Latin letters"
	case s.short >= 0:
		return "in eighteen languages, by the stop words of each text; of texts too short to tell as of " + s.short.String()
	}
	return "in eighteen languages, by the stop words of each text; not of texts too short to tell"
}
