package tokenize

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/segment"
)

// The kinds of tokens that a scanner finds.
type kind uint8

const (
	kindEnd    kind = iota // nothing more
	kindWord               // a word
	kindGrams              // a run of characters of a script without spaces
	kindSymbol             // an emoji
	kindGap                // white space, punctuation
	kindNew                // a letter, mark or number newer than segment's tables
	kindIgnore             // an invisible character, inside any run
	kindKana               // a run of Katakana
)

// A scanner finds the words of text in any script. It joins the single characters that
// segment, whose tables are of Unicode 8, leaves unjoined, so that no letter and no digit
// is lost.
type scanner struct {
	text   []byte
	tokens [][]byte
	types  []int
	i      int // next token
	pos    int // its place in text
}

// reset makes text, which must be valid UTF-8, the text to scan.
func (s *scanner) reset(text []byte) {
	if s.tokens == nil {
		// Without slices segment allocates 1,000 entries itself.
		s.tokens, s.types = make([][]byte, 0, 256), make([]int, 0, 256)
	}
	s.text, s.i, s.pos = text, 0, 0
	s.tokens, s.types = s.tokens[:0], s.types[:0]
	for len(text) > 0 {
		n := 0
		s.tokens, s.types, n, _ = segment.SegmentWordsDirect(text, s.tokens, s.types)
		if text = text[n:]; len(text) > 0 {
			// Never seen with valid UTF-8, but text must not vanish if it happens.
			_, n = utf8.DecodeRune(text)
			s.tokens, s.types = append(s.tokens, text[:n]), append(s.types, segment.None)
			text = text[n:]
		}
	}
}

// next finds the next word, run or symbol.
func (s *scanner) next() (start, end int, k kind) {
	for s.i < len(s.tokens) {
		k = kindOf(s.tokens[s.i], s.types[s.i])
		start = s.pos
		s.step()
		if k == kindGap || k == kindIgnore {
			continue
		}
		// No word begins with a mark: it belongs to the space before, which may be in the text
		// scanned before.
		if start += marks(s.text[start:s.pos]); start == s.pos {
			continue
		}
		switch k {
		case kindWord, kindNew:
			s.joinWord(k)
			return start, s.pos, kindWord
		case kindKana:
			s.joinKana()
			return start, s.pos, kindWord
		case kindGrams:
			s.joinGrams(start)
		}
		return start, s.pos, k
	}
	return s.pos, s.pos, kindEnd
}

// marks returns the number of bytes of marks at the beginning of text.
func marks(text []byte) int { return len(text) - len(bytes.TrimLeftFunc(text, unicode.IsMark)) }

func (s *scanner) step() {
	s.pos += len(s.tokens[s.i])
	s.i++
}

// skip continues at pos or at the first token that begins after it.
func (s *scanner) skip(pos int) {
	for s.i < len(s.tokens) && s.pos < pos {
		s.step()
	}
}

// joinWord appends the tokens that belong to the same word after a token of kind last:
// segment breaks there only because it does not know one of the characters.
func (s *scanner) joinWord(last kind) {
	for s.i < len(s.tokens) {
		k := kindOf(s.tokens[s.i], s.types[s.i])
		if k != kindNew && k != kindIgnore && (k != kindWord || last == kindWord) {
			return
		}
		s.step()
		last = k
	}
}

// joinKana appends the marks after a run of Katakana.
func (s *scanner) joinKana() {
	for s.i < len(s.tokens) && kindOf(s.tokens[s.i], s.types[s.i]) == kindIgnore {
		s.step()
	}
}

// joinGrams appends the rest of the same run. A prolonged sound mark belongs to the
// Hiragana before it.
func (s *scanner) joinGrams(start int) {
	ideographs := !isUnspaced(firstRune(s.text[start:]))
	for s.i < len(s.tokens) {
		t := s.tokens[s.i]
		switch kindOf(t, s.types[s.i]) {
		case kindGrams:
			if isUnspaced(firstRune(t)) == ideographs {
				return
			}
		case kindIgnore:
		case kindKana:
			if !ideographs || string(t) != "ー" {
				return
			}
		default:
			return
		}
		s.step()
	}
}

// kindOf returns the kind of a token. Segment's type alone is not enough: it is None for
// characters that its tables do not know or leave to a dictionary.
func kindOf(token []byte, typ int) kind {
	switch typ {
	case segment.Letter, segment.Number:
		// Javanese and Balinese come as one token from space to space.
		if (token[0] == 0xE1 || token[0] == 0xEA) && isUnspaced(firstRune(token)) {
			return kindGrams
		}
		return kindWord
	case segment.Ideo, segment.Kana:
		if isKatakana(firstRune(token)) {
			return kindKana
		}
		return kindGrams
	}
	if token[0] < utf8.RuneSelf {
		return kindGap
	}
	return kindOfRune(firstRune(token))
}

func kindOfRune(r rune) kind {
	switch {
	case isIgnorable(r):
		return kindIgnore
	case unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r):
		if isUnspaced(r) || unicode.In(r, unicode.Han, unicode.Hiragana) {
			return kindGrams
		}
		return kindNew
	case isEmoji(r):
		return kindSymbol
	}
	return kindGap
}

// isKatakana recognises Katakana as defined by UAX #29, including some marks of both kana
// scripts.
func isKatakana(r rune) bool {
	switch {
	case '\u3041' <= r && r <= '\u3096' || '\u3400' <= r && r <= '\u9fff': // the most frequent
		return false
	case '\u3031' <= r && r <= '\u3035' || '\u309b' <= r && r <= '\u309c' || r == '\u30fc' || r == '\uff70':
		return true
	}
	return unicode.Is(unicode.Katakana, r)
}

// isEmoji recognises most characters that are drawn as pictures.
func isEmoji(r rune) bool {
	return ('\u2600' <= r && r <= '\u27bf' || '\U0001f300' <= r && r <= '\U0001faff') && unicode.Is(unicode.So, r)
}

func firstRune(text []byte) rune {
	r, _ := utf8.DecodeRune(text)
	return r
}
