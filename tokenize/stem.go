package tokenize

import (
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

// bySnowball are the stemmers of kljensen/snowball. Every word goes through them, stop
// words too, since a term must not depend on the library's own stop list.
var bySnowball = [lastStemmed + 1]func(word string, stemStopWords bool) string{
	0: english.Stem, 1: french.Stem, 2: spanish.Stem, 3: russian.Stem,
	4: swedish.Stem, 5: norwegian.Stem, 6: hungarian.Stem,
}

// byEnv are the stemmers of blevesearch/snowballstem.
var byEnv = [lastStemmed + 1]func(*snowballstem.Env) bool{
	7: arabic.Stem, 8: danish.Stem, 9: dutch.Stem, 10: finnish.Stem, 11: german.Stem, 12: italian.Stem,
	13: portuguese.Stem, 14: romanian.Stem, 15: turkish.Stem, 16: tamil.Stem, 17: irish.Stem,
}

// stemmers holds what the stemmers reuse.
type stemmers struct{ env *snowballstem.Env }

// stem returns the stem of word, which is folded, or word itself if lang has no stemmer
// or word is not only letters, such as a number or a host name.
func (s *stemmers) stem(lang language, word []byte) []byte {
	if !lang.hasStemmer() || !isWordOfLetters(word) {
		return word
	}
	if stem := bySnowball[lang]; stem != nil {
		return notEmpty(stem(string(word), true), word)
	}
	if stem := byEnv[lang]; stem != nil {
		if s.env == nil {
			s.env = snowballstem.NewEnv("")
		}
		s.env.SetCurrent(string(word))
		stem(s.env)
		return notEmpty(s.env.Current(), word)
	}
	return word
}

func notEmpty(stem string, word []byte) []byte {
	if stem == "" {
		return word
	}
	return []byte(stem)
}

func isWordOfLetters(word []byte) bool {
	for _, r := range string(word) {
		if r != '\'' && !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return false
		}
	}
	return true
}
