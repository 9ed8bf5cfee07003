package tokenize

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxPasses of folding suffice for every character of Unicode.
const maxPasses = 4

// maxTerm bytes fit the buffer of a worker. A longer term, which only a stemmer could
// make of forty letters, is dropped.
const maxTerm = 4*maxRunes + 32

// termsOf returns the terms of a surface form, each after a byte with its length.
// Compatibility characters may hide several words, so it is broken into words again after
// folding.
func (w *worker) termsOf(form []byte) []byte {
	w.terms = w.terms[:0]
	folded := w.foldLimited(form)
	if isASCII(folded) {
		for i := 0; ; {
			start, end, _ := wordASCII(folded, i)
			if start == end {
				return w.terms
			}
			w.addWord(folded[start:end])
			i = end
		}
	}
	if bytes.Equal(folded, form) {
		w.addParts(form) // it is a single word
		w.addSecond(form)
		return w.terms
	}
	w.inner.reset(folded)
	for {
		start, end, kind := w.inner.next()
		switch kind {
		case kindEnd:
			return w.terms
		case kindGrams:
			w.addGrams(folded[start:end])
		case kindWord:
			w.addParts(folded[start:end])
			w.addSecond(folded[start:end])
		}
	}
}

// addParts adds the words of part: segment sees no word boundary at a colon or an
// underscore, nor between Hangul and letters.
func (w *worker) addParts(part []byte) {
	for len(part) > 0 {
		if r, n := utf8.DecodeRune(part); parts(r) {
			part = part[n:]
			continue
		}
		n, hangul := hangulRun(part)
		if hangul {
			w.addGrams(part[:n])
		} else {
			w.addWord(part[:n])
		}
		part = part[n:]
	}
}

// parts recognises the characters at which terms have a word boundary and segment has
// none: the colon, and underscores of all kinds.
func parts(r rune) bool {
	return r == ':' || r == '_' || r >= utf8.RuneSelf && unicode.Is(unicode.Pc, r)
}

// addWord adds the term of a folded word to terms, if it has one, or the terms of the
// pieces of an overlong word.
func (w *worker) addWord(word []byte) {
	runes := utf8.RuneCount(word)
	if runes > maxRunes {
		for piece := range bytes.FieldsFuncSeq(word, unicode.IsPunct) {
			if len(piece) < len(word) {
				w.addWord(piece)
			}
		}
		return
	}
	if runes < w.min || !hasAlnum(word) {
		return
	}
	w.addTerm(w.stemOf(word))
}

func (w *worker) addTerm(term []byte) {
	if len(term) > 0 && len(term) <= maxTerm {
		w.terms = append(append(w.terms, byte(len(term))), term...)
	}
}

func hasAlnum(word []byte) bool {
	return bytes.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// fold returns text without invisible characters, in NFKC with full case
// folding. The bytes are valid until the next call.
//
// Each of the three steps can undo another, so they are repeated until nothing
// changes: once for most words.
func (w *worker) fold(text []byte) []byte {
	w.folded = append(w.folded[:0], text...)
	for range maxPasses {
		w.spare = strip(w.spare[:0], w.folded)
		w.normal = norm.NFKC.Append(w.normal[:0], w.spare...)
		w.spare = appendCaseFolded(w.spare[:0], w.normal)
		if bytes.Equal(w.spare, w.folded) {
			break
		}
		w.spare, w.folded = w.folded, w.spare
	}
	return w.folded
}

// expansions lists the characters that full case folding replaces by several, each between a
// blank and what replaces it.
const expansions = "" +
	" ßss İi̇ ŉʼn ǰǰ ΐΐ ΰΰ ևեւ ẖẖ ẗẗ ẘẘ ẙẙ ẚaʾ ẞss ὐὐ ὒὒ ὔὔ ὖὖ ᾀἀι ᾁἁι ᾂἂι ᾃἃι ᾄἄι ᾅἅι ᾆἆι " +
	"ᾇἇι ᾈἀι ᾉἁι ᾊἂι ᾋἃι ᾌἄι ᾍἅι ᾎἆι ᾏἇι ᾐἠι ᾑἡι ᾒἢι ᾓἣι ᾔἤι ᾕἥι ᾖἦι ᾗἧι ᾘἠι ᾙἡι ᾚἢι ᾛἣι ᾜἤι ᾝἥι ᾞἦι ᾟἧι ᾠὠι " +
	"ᾡὡι ᾢὢι ᾣὣι ᾤὤι ᾥὥι ᾦὦι ᾧὧι ᾨὠι ᾩὡι ᾪὢι ᾫὣι ᾬὤι ᾭὥι ᾮὦι ᾯὧι ᾲὰι ᾳαι ᾴάι ᾶᾶ ᾷᾶι ᾼαι ῂὴι ῃηι ῄήι ῆῆ " +
	"ῇῆι ῌηι ῒῒ ΐΐ ῖῖ ῗῗ ῢῢ ΰΰ ῤῤ ῦῦ ῧῧ ῲὼι ῳωι ῴώι ῶῶ ῷῶι ῼωι ﬀff ﬁfi ﬂfl ﬃffi ﬄffl ﬅst " +
	"ﬆst ﬓմն ﬔմե ﬕմի ﬖվն ﬗմխ "

// appendCaseFolded appends text with full case folding (Unicode, CaseFolding.txt, statuses C
// and F) to dst, and bytes that are not UTF-8 as they are. x/text/cases gives the same bytes;
// to prepare its tables takes each process longer than to fold one message.
func appendCaseFolded(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		switch {
		case 'A' <= r && r <= 'Z':
			dst = append(dst, byte(r)+'a'-'A')
		case r < utf8.RuneSelf || 0x2E80 <= r && r < 0xA640 || r == utf8.RuneError, // East Asia has no case
			'α' <= r && r <= 'ω' && r != 'ς' || 'а' <= r && r <= 'я' || 0x0590 <= r && r < 0x10A0:
			dst = append(dst, text[i:i+n]...)
		case mayExpand(r):
			dst = append(dst, expanded(r)...)
		default:
			dst = utf8.AppendRune(dst, caseFolded(r))
		}
		i += n
	}
	return dst
}

// mayExpand recognises all characters in expansions, and a few more.
func mayExpand(r rune) bool {
	return strings.ContainsRune("ßİŉǰΐΰև", r) ||
		0x1E96 <= r && r <= 0x1E9E || 0x1F50 <= r && r <= 0x1FFC || 0xFB00 <= r && r <= 0xFB17
}

// expanded returns the case folding of a character that may be in expansions.
func expanded(r rune) string {
	_, after, found := strings.Cut(expansions, " "+string(r))
	if !found {
		return string(caseFolded(r))
	}
	to, _, _ := strings.Cut(after, " ")
	return to
}

// caseFolded returns the one character that case folding makes of r: the small letter of its
// capital.
//
// QUIRK: x/text also folds the small letters of Cherokee to capitals, as Unicode does, but
// then the capitals to small letters.
func caseFolded(r rune) rune {
	switch {
	case r == 'ı': // its capital is I, which folds to i
		return r
	case 0x13F8 <= r && r <= 0x13FD || 0xAB70 <= r && r <= 0xABBF:
		return unicode.ToUpper(r)
	}
	return unicode.ToLower(unicode.ToUpper(r))
}

// strip appends text to dst without invisible and merely stretching characters, and with
// one kind of apostrophe.
func strip(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		switch {
		case r < utf8.RuneSelf:
			dst = append(dst, byte(r))
		case isIgnorable(r):
		case r == '\u2019' || r == '\u02bc' || r == '\uff07':
			dst = append(dst, '\'')
		case r == '\u0130': // it folds to i and a combining dot that no one writes
			dst = append(dst, 'i')
		default:
			dst = append(dst, text[i:i+n]...)
		}
		i += n
	}
	return dst
}

// isIgnorable recognises invisible characters, and the Arabic tatweel, which only makes a
// word wider.
func isIgnorable(r rune) bool {
	return r >= 0xAD && (r == '\u0640' || unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point))
}
