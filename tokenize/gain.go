package tokenize

import (
	"fmt"
	"unicode"
)

// A stemming is a value of the setting stem.
type stemming uint8

const (
	stemOff  stemming = iota
	stemOn            // every language that has a stemmer
	stemAuto          // languages where stemming was measured to help
)

func (s stemming) String() string { return [...]string{"off", "on", "auto"}[s] }

func parseStemming(value string) (stemming, error) {
	for s := stemOff; s <= stemAuto; s++ {
		if value == s.String() {
			return s, nil
		}
	}
	return stemOff, fmt.Errorf("tokenize: stem=%.40q in the analyzer spec must be on, off or auto", value)
}

// gains says for each language with a stemmer whether stem=auto stems it: whether stems
// were measured to help on the sentences of SIB-200 (benchmarks/README.md). English
// gains only with little training, and loses half a point on some thousands of whole
// documents.
var gains = map[string]bool{
	"ru": true, "ta": true, "tr": true, "ar": true, "fi": true,
	"es": true, "de": true, "fr": true, "pt": true, "it": true,
	"en": false,
	"sv": false, "no": false, "hu": false, "da": false, "nl": false, "ro": false, "ga": false, // not measured
}

// writtenLanguage returns the language that the letters of a folded word determine:
// Russian for Cyrillic, Arabic for Arabic and Tamil for Tamil letters, Turkish where one
// is ı or ğ, or none.
//
// With lang=auto and stem=auto only these words are stemmed, so that a term depends on
// its word alone: a vote of stop words finds the language of too few short texts, and the
// same word would become different terms. Ukrainian and Bulgarian are stemmed as Russian;
// other languages lost nothing with the stemmer of a neighbour (benchmarks/README.md).
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
