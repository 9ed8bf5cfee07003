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
	stemAuto          // where it was measured to pay
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

// gains tells for each language with a stemmer whether stem=auto stems it.
//
// Measured on the single sentences of SIB-200 (training and development part,
// 7 topics, 5 folds, 12 repetitions, lang given). Points of accuracy that
// stem=on adds to stem=off after 100, 300 and 640 sentences, with the standard
// error of the difference over the 800 sentences:
//
//	    multinomial                        Bernoulli
//	ru   +8.1 ± 0.6  +11.5 ± 0.9   +9.8 ± 1.2    +8.1 ± 0.6  +10.9 ± 0.9  +9.2 ± 1.2
//	ta   +7.6 ± 0.7  +10.1 ± 0.9   +9.0 ± 1.2    +8.0 ± 0.7  +10.0 ± 0.9  +7.8 ± 1.2
//	tr   +6.1 ± 0.6   +9.1 ± 0.8  +10.1 ± 1.1    +6.4 ± 0.6   +8.1 ± 0.8  +8.5 ± 1.1
//	ar   +6.9 ± 0.6   +9.0 ± 0.8   +6.3 ± 1.1    +6.8 ± 0.6   +8.2 ± 0.8  +5.2 ± 1.2
//	fi   +4.4 ± 0.6   +7.4 ± 0.7   +6.9 ± 1.1    +4.6 ± 0.5   +7.4 ± 0.7  +7.2 ± 1.1
//	es   +5.2 ± 0.6   +5.7 ± 0.7   +5.0 ± 1.0    +5.4 ± 0.5   +5.3 ± 0.7  +3.8 ± 1.0
//	de   +3.3 ± 0.5   +4.9 ± 0.6   +3.8 ± 0.9    +4.1 ± 0.5   +5.5 ± 0.6  +4.1 ± 0.9
//	fr   +3.5 ± 0.5   +3.4 ± 0.6   +2.5 ± 0.9    +3.5 ± 0.5   +2.8 ± 0.6  +2.8 ± 0.9
//	pt   +3.6 ± 0.5   +2.3 ± 0.7   +1.7 ± 0.9    +3.2 ± 0.5   +2.6 ± 0.7  +1.6 ± 0.9
//	it   +3.7 ± 0.5   +3.0 ± 0.7   +0.6 ± 1.0    +3.9 ± 0.5   +2.7 ± 0.7  +0.8 ± 1.0
//	en   +4.2 ± 0.5   +5.5 ± 0.6   +4.2 ± 0.8    +3.9 ± 0.4   +4.9 ± 0.6  +3.5 ± 0.8
//
// English, the only language with corpora of whole documents to measure, is off
// all the same, for it gains only while there is little text: on 20 Newsgroups
// (training part, 4 folds) +1.4 ± 0.2 after 300 documents, -0.1 ± 0.2 after
// 1,000 and -0.6 ± 0.1 after 8,500; on Reuters R8 -0.4 ± 0.1; on short messages
// (the SMS Spam Collection) nothing. What the others do with thousands of long
// documents is not known. Five sentences joined to a document, and 125 of them
// learned, still gain .8 (pt) to 6.8 points (fi) by the multinomial.
var gains = map[string]bool{
	"ru": true, "ta": true, "tr": true, "ar": true, "fi": true,
	"es": true, "de": true, "fr": true, "pt": true, "it": true,
	"en": false,
	"sv": false, "no": false, "hu": false, "da": false, "nl": false, "ro": false, "ga": false, // not measured
}

// writtenLanguage is the language that the letters of a folded word alone tell:
// Russian for Cyrillic, Arabic for Arabic and Tamil for Tamil letters, Turkish
// where one is ı or ğ, or none.
//
// With lang=auto and stem=auto these words are stemmed and no others, so that a
// term depends on its word alone. Elected by stop words, too few short texts have
// their language: of the sentences of SIB-200 58 % in Russian, 72 % in Arabic,
// 53 % in Turkish and 48 % in Finnish, and the same word is one term in one text
// and another in the next. Accuracy after 640 sentences, in points against
// stem=off, multinomial, as above:
//
//	    elected       by letters
//	ru  -2.4 ± 1.2    +9.8 ± 1.2
//	ar  -1.6 ± 1.2    +6.3 ± 1.1
//	tr  +2.1 ± 1.2    +5.0 ± 0.9
//	ta  +9.0 ± 1.2    +9.0 ± 1.2
//	fa   0.0 ± 0.0    +1.5 ± 0.5
//	fi  -2.6 ± 1.2     0.0 ± 0.0
//
// The row of Persian and others like it (Polish stemmed as Italian +2.8 ± 0.7,
// Portuguese as Spanish +0.3 ± 0.9) are why Ukrainian or Bulgarian, of which
// there is no corpus at hand, may be stemmed as Russian.
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
