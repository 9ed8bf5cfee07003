package style

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

const (
	// maxRules is the number of selectors that a page may have in its sheets: long letters
	// have hundreds. maxTests is the number of selectors tried on the elements of a page, and
	// on the elements around them: so many take some twenty milliseconds. maxAll is that for all
	// pages of a message. Beyond a limit sheets hide nothing more.
	maxRules = 1 << 12
	maxTests = 1 << 19
	maxAll   = 8 * maxTests

	// maxNested is the nesting of blocks with @.
	maxNested = 8
)

// Sheet is the style sheets of a page.
type Sheet struct {
	rules []rule
	keyed map[string][]int32 // rules by what their element must have, and "" for no such thing
	most  int                // of Tests
	Tests int                // selectors tried; a new message sets it to 0
}

// rule is a selector with declarations that matter.
type rule struct {
	path         []compound // the element's first, then those of elements around it
	rank         uint32
	declarations []declaration
	generated    bool // of the text before or behind an element
	doubtful     bool // not all conditions are known: its declarations may show a text, but hide none
	never        bool // it holds only where a pointer is, or the like
}

// Reset removes the rules.
func (s *Sheet) Reset() {
	*s = Sheet{rules: s.rules[:0], Tests: s.Tests, most: min(s.Tests+maxTests, maxAll)}
}

// Any reports whether there are rules.
func (s *Sheet) Any() bool { return len(s.rules) > 0 }

// Full reports whether a limit was met.
func (s *Sheet) Full() bool { return len(s.rules) >= maxRules || s.Tests > s.most }

// Add adds a style sheet, of which it is sure that it holds or not. Any bytes are one.
func (s *Sheet) Add(css []byte, sure bool) {
	css = normal(css)
	depth, doubt, broken := 0, (maxNested+1)*int(One(sure)), false // doubtful from a depth on
	for len(css) > 0 {
		prelude, stop, rest := until(css, "{};")
		prelude = trim(prelude)
		for n := 0; depth == 0 && n != len(prelude); {
			n = len(prelude)
			prelude = trim(bytes.TrimPrefix(bytes.TrimPrefix(prelude, []byte("<!--")), []byte("-->")))
		}
		switch {
		case stop == '}':
			broken = depth == 0 // it belongs to the next selector
			if depth = max(0, depth-1); depth < doubt {
				doubt = maxNested + 1
			}
		case stop != '{':
			broken = broken || stop == ';' && (len(prelude) == 0 || prelude[0] != '@')
		case len(prelude) > 0 && prelude[0] == '@':
			if in, sure := entered(prelude); depth == maxNested || !in {
				rest = afterBlock(rest)
			} else if depth++; !sure {
				doubt = min(doubt, depth)
			}
		default:
			block := rest
			rest = afterBlock(rest)
			if !broken && len(s.rules) < maxRules {
				s.add(prelude, block[:len(block)-len(rest)], depth >= doubt)
			}
			broken = false
		}
		css = rest
	}
}

// add adds the rules of a list of selectors. Each is doubtful if one is none.
func (s *Sheet) add(selectors, block []byte, doubtful bool) {
	var list, shown []declaration
	eachDeclaration(bytes.TrimSuffix(block, []byte("}")), true, func(d declaration) {
		list = append(list, d)
		if d, shows := d.inDoubt(); shows {
			shown = append(shown, d)
		}
	})
	var rules []rule
	for more := byte(','); more != 0 && len(list) > 0 && len(s.rules)+len(rules) < maxRules; {
		var text []byte
		text, more, selectors = until(selectors, ",")
		r, ok := selector(text)
		if !ok {
			doubtful = true
			continue
		}
		rules = append(rules, r)
	}
	for _, r := range rules {
		r.declarations = list
		if r.doubtful || doubtful {
			r.declarations = shown
		}
		if len(r.declarations) == 0 || r.never {
			continue
		}
		if s.keyed == nil {
			s.keyed = map[string][]int32{}
		}
		key := r.path[0].key()
		s.keyed[key] = append(s.keyed[key], int32(len(s.rules)))
		s.rules = append(s.rules, r)
	}
}

// entered reports whether the rules within an at-rule hold for a screen of a computer, and
// whether in every program.
func entered(prelude []byte) (in, sure bool) {
	text := strings.ToLower(string(prelude))
	switch name := string(identifier([]byte(text[1:]))); name {
	case "media":
		return Screen(text[len("@media"):])
	case "supports", "layer", "container", "scope":
		return true, false
	}
	return false, false
}

// screenWidth is a usual width in pixels.
const screenWidth = 1024

// Screen reports whether one of several media queries, in lower case, holds for a screen, and
// whether for every one.
func Screen(queries string) (in, sure bool) {
	for query := range strings.SplitSeq(queries, ",") {
		some, every := onScreen(query)
		in, sure = in || some, sure || every
	}
	return in, sure
}

func onScreen(query string) (in, sure bool) {
	for _, other := range []string{"print", "speech", "dark", "projection", "handheld"} {
		if strings.Contains(query, other) && !strings.Contains(query, "not ") {
			return false, false
		}
	}
	typ, features, _ := strings.Cut(query, "(")
	plain := !strings.Contains(query, " or ") && !strings.Contains(query, "not ")
	sure = plain && strings.Contains("only screen and all and", strings.TrimSpace(typ))
	for feature := range strings.SplitSeq(features, "(") {
		name, v, _ := strings.Cut(strings.TrimSpace(feature), ":")
		v, _, _ = strings.Cut(v, ")")
		n, _, ok := length(strings.TrimSpace(v))
		wide := ok && strings.HasPrefix(name, "m") && strings.HasSuffix(strings.TrimSpace(name), "width")
		if plain && wide && (name[1] == 'a' && n < screenWidth || name[1] == 'i' && n > screenWidth) {
			return false, false
		}
		sure = sure && (wide || features == "")
	}
	return true, sure
}

// until splits css before the first of some bytes that is in no string and no brackets.
// stop is 0 at the end.
func until(css []byte, stops string) (text []byte, stop byte, rest []byte) {
	quote, within := byte(0), make([]byte, 0, 32)
	for i, c := range css {
		if wordByte(c) {
			continue // most by far
		}
		switch {
		case quote != 0:
			if c == quote || c == '\n' {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case len(within) == 0 && strings.IndexByte(stops, c) >= 0:
			return css[:i], c, css[i+1:]
		case c == '(' || c == '[' || c == '{':
			within = append(within, c+2-(c&1^1)) // "()" follow each other, "[]" and "{}" do not
		case len(within) > 0 && c == within[len(within)-1]:
			within = within[:len(within)-1]
		}
	}
	return css, 0, nil
}

// afterBlock returns what follows the block whose "{" was read.
func afterBlock(css []byte) []byte {
	for depth := 1; len(css) > 0; {
		var stop byte
		_, stop, css = until(css, "{}")
		if stop == '{' {
			depth++
		} else if depth--; depth == 0 {
			break
		}
	}
	return css
}

// normal returns css without comments, with escapes decoded. What is escaped is no
// punctuation.
func normal(css []byte) []byte {
	if bytes.IndexByte(css, '\\') < 0 && !bytes.Contains(css, []byte("/*")) {
		return css
	}
	out := make([]byte, 0, len(css))
	for i := 0; i < len(css); {
		rest := css[i:]
		switch {
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest[2:], []byte("*/"))
			if end < 0 {
				return out
			}
			i += end + 4
			if n := len(out); n > 0 && wordByte(out[n-1]) && i < len(css) && wordByte(css[i]) {
				out = append(out, ' ')
			}
		case rest[0] == '\\' && len(rest) > 1:
			r, n := escape(rest[1:])
			out, i = utf8.AppendRune(out, r), i+1+n
		default:
			out, i = append(out, rest[0]), i+1
		}
	}
	return out
}

// escape reads what follows a backslash.
func escape(b []byte) (r rune, n int) {
	for ; n < len(b) && n < 6 && ascii.Hex(b[n]) < 16; n++ {
		r = r<<4 | rune(ascii.Hex(b[n]))
	}
	if n == 0 {
		r, n = utf8.DecodeRune(b)
	} else if n < len(b) && (b[n] == ' ' || b[n] == '\n' || b[n] == '\t' || b[n] == '\r') {
		n++
	}
	if r < utf8.RuneSelf && !wordByte(byte(r)) {
		r = utf8.RuneError
	}
	return r, n
}

func wordByte(c byte) bool { return wordBytes[c] }

var wordBytes = func() (word [256]bool) {
	for c := range word {
		low := byte(c) | 0x20
		word[c] = c >= utf8.RuneSelf || c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= low && low <= 'z'
	}
	return word
}()
