package tokenize

import (
	"bytes"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
	"github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/french"
	"github.com/kljensen/snowball/hungarian"
	"github.com/kljensen/snowball/norwegian"
	"github.com/kljensen/snowball/russian"
	"github.com/kljensen/snowball/spanish"
	"github.com/kljensen/snowball/swedish"
)

// language is an index into languages: a value of the setting lang.
type language uint8

const (
	auto        language = 0 // of each word, by its letters
	none        language = 1
	russianLang language = 5
	arabicLang  language = 9
	turkishLang language = 17
	tamilLang   language = 18
)

// languages are those with a stemmer, by their ISO 639-1 codes.
var languages = [...]struct {
	code string

	// snowball is the stemmer of kljensen/snowball, env that of blevesearch/snowballstem. Every
	// word goes through it, stop words too, since a term must not depend on the library's own
	// stop list.
	snowball func(word string, stemStopWords bool) string
	env      func(*snowballstem.Env) bool

	// gains says whether stem=auto stems it: whether stems were measured to help
	// (benchmarks/README.md). English gains only with little training.
	gains bool
}{
	{code: "auto"},
	{code: "none"},
	{"en", english.Stem, nil, false},
	{"fr", french.Stem, nil, true},
	{"es", spanish.Stem, nil, true},
	{"ru", russian.Stem, nil, true},
	{"sv", swedish.Stem, nil, false},
	{"no", norwegian.Stem, nil, false},
	{"hu", hungarian.Stem, nil, false},
	{"ar", nil, arabic.Stem, true},
	{"da", nil, danish.Stem, false},
	{"nl", nil, dutch.Stem, false},
	{"fi", nil, finnish.Stem, true},
	{"de", nil, german.Stem, true},
	{"it", nil, italian.Stem, true},
	{"pt", nil, portuguese.Stem, true},
	{"ro", nil, romanian.Stem, false},
	{"tr", nil, turkish.Stem, true},
	{"ta", nil, tamil.Stem, true},
	{"ga", nil, irish.Stem, false},
}

func (l language) String() string { return languages[l].code }

// writtenLanguage returns the language that the letters of a folded word determine:
// Russian for Cyrillic, Arabic for Arabic and Tamil for Tamil letters, Turkish where one
// is ı or ğ, or none.
//
// With lang=auto only these words are stemmed, so that a term depends on its word alone and
// not on a guess at the language of a text. Ukrainian and Bulgarian are stemmed as Russian.
func writtenLanguage(word []byte) language {
	if isASCII(word) {
		return none
	}
	switch r := firstRune(word); {
	case unicode.Is(unicode.Cyrillic, r):
		return russianLang
	case unicode.Is(unicode.Arabic, r):
		return arabicLang
	case unicode.Is(unicode.Tamil, r):
		return tamilLang
	}
	for _, r := range string(word) {
		if r == 'ı' || r == 'ğ' {
			return turkishLang
		}
	}
	return none
}

// stemOf returns the stem of a folded word, or the word itself if it is not to be stemmed or not
// only letters, such as a number or a host name.
func (w *worker) stemOf(word []byte) []byte {
	l := w.lang
	if l == auto {
		l = writtenLanguage(word)
	}
	if l == none || !isWordOfLetters(word) {
		return word
	}
	stem := ""
	if by := languages[l].snowball; by != nil {
		stem = by(string(word), true)
	} else {
		if w.env == nil {
			w.env = snowballstem.NewEnv("")
		}
		w.env.SetCurrent(string(word))
		languages[l].env(w.env)
		stem = w.env.Current()
	}
	if stem == "" {
		return word
	}
	return []byte(stem)
}

func isWordOfLetters(word []byte) bool {
	return !bytes.ContainsFunc(word, func(r rune) bool { return r != '\'' && !unicode.IsLetter(r) && !unicode.IsMark(r) })
}
