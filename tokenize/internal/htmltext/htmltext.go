// Package htmltext reads HTML in memory: it finds the same tokens as the Tokenizer of
// x/net/html, and the same texts and attributes as its Text and TagAttr, but for carriage
// returns and NUL bytes, which stay as they are.
//
// x/net/html makes its map of character names at the start of every process, and the standard
// library on first use.
package htmltext

import (
	"bytes"
	"html"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

// Tag reads the attributes of a start tag.
type Tag struct {
	raw   []byte
	at    int
	named int // the end of the name
}

// NewTag returns a reader of the attributes of a start tag, whose first byte is
// "<" and whose last is ">".
func NewTag(raw []byte) Tag { return newTag(raw, len("<")) }

// newTag is NewTag for a tag whose name begins at the given place.
func newTag(raw []byte, at int) Tag {
	r := Tag{raw: raw, at: at + 1}
	for r.at < len(raw) && tagBytes[raw[r.at]]&endsName == 0 {
		r.at++
	}
	r.named = r.at
	if r.at < len(raw) && isBlank(raw[r.at]) {
		r.at++
	}
	return r
}

// The roles of a byte in a tag, a bit each.
const (
	blank = 1 << iota
	endsName
	endsKey // but for "=" as its first byte
	endsValue

	endsAll = endsName | endsKey | endsValue
)

var tagBytes = [256]uint8{
	' ': blank | endsAll, '\n': blank | endsAll, '\r': blank | endsAll, '\t': blank | endsAll, '\f': blank | endsAll,
	'/': endsName | endsKey, '=': endsKey, '>': endsAll,
}

func isBlank(c byte) bool { return tagBytes[c]&blank != 0 }

func (r *Tag) skipBlanks() {
	for r.at < len(r.raw) && isBlank(r.raw[r.at]) {
		r.at++
	}
}

// Next returns the next attribute as written. It also returns a repeated attribute, which
// the caller should ignore.
func (r *Tag) Next() (key, value []byte, ok bool) {
	for {
		r.skipBlanks()
		if r.at >= len(r.raw) || r.raw[r.at] == '>' {
			return nil, nil, false
		}
		key, value = r.key(), r.value()
		if len(key) > 0 {
			return key, value, true
		}
	}
}

func (r *Tag) key() []byte {
	start := r.at
	for r.at < len(r.raw) && (tagBytes[r.raw[r.at]]&endsKey == 0 || r.raw[r.at] == '=' && r.at == start) {
		r.at++
	}
	return r.raw[start:r.at]
}

func (r *Tag) value() []byte {
	r.skipBlanks()
	if r.at >= len(r.raw) {
		return nil
	}
	switch r.raw[r.at] {
	case '/':
		r.at++
		return nil
	case '=':
		r.at++
	default:
		return nil
	}
	r.skipBlanks()
	if r.at >= len(r.raw) {
		return nil
	}
	switch quote := r.raw[r.at]; quote {
	case '>':
		return nil
	case '\'', '"':
		r.at++
		start := r.at
		n := bytes.IndexByte(r.raw[start:], quote)
		if n < 0 {
			r.at = len(r.raw)
			return r.raw[start:]
		}
		r.at += n + 1
		return r.raw[start : start+n]
	}
	start := r.at
	for r.at < len(r.raw) && tagBytes[r.raw[r.at]]&endsValue == 0 {
		r.at++
	}
	return r.raw[start:r.at]
}

// Value returns the text of the value of an attribute.
func Value(value []byte) []byte {
	if bytes.IndexByte(value, '&') < 0 {
		return value
	}
	return appendUnescaped(nil, value, true)
}

// Attribute returns the first attribute of a start tag with a name in lower case.
func Attribute(tag []byte, name string) (value []byte, ok bool) {
	if len(tag) == 0 {
		return nil, false
	}
	r := NewTag(tag)
	for key, v, more := r.Next(); more; key, v, more = r.Next() {
		if bytes.EqualFold(key, []byte(name)) {
			return Value(v), true
		}
	}
	return nil, false
}

// longestName is longer than every character name.
const longestName = 40

func appendUnescaped(out, b []byte, attribute bool) []byte {
	for {
		at := bytes.IndexByte(b, '&')
		if at < 0 {
			return append(out, b...)
		}
		out = append(out, b[:at]...)
		var n int
		out, n = appendCharacter(out, b[at:], attribute)
		b = b[at+n:]
	}
}

// appendCharacter appends the decoded character reference at the beginning of b, whose
// first byte is "&", and returns its length.
func appendCharacter(out, b []byte, attribute bool) ([]byte, int) {
	if len(b) > 1 && b[1] == '#' {
		if r, n := numbered(b); n > 0 {
			return utf8.AppendRune(out, r), n
		}
		return append(out, '&'), 1
	}
	n := 1
	for n < len(b) && (b[n]|0x20 >= 'a' && b[n]|0x20 <= 'z' || b[n] >= '0' && b[n] <= '9') {
		n++
	}
	closed := n < len(b) && b[n] == ';'
	if closed {
		n++
	}
	n = min(n, longestName)
	switch name := b[1:n]; {
	case len(name) == 0 || attribute && !closed && n < len(b) && b[n] == '=':
		return append(out, '&'), 1
	case string(name) == "nbsp;": // the most frequent ones
		return append(out, "\u00a0"...), n
	case string(name) == "nGt;": // which the standard library lacks
		return append(out, "\u226b\u20d2"...), n
	case string(name) == "nLt;":
		return append(out, "\u226a\u20d2"...), n
	case string(name) == "amp;":
		return append(out, '&'), n
	}
	text := html.UnescapeString(string(b[:n]))
	if attribute && !isWhole(text, b[n-1] == ';') {
		return append(out, '&'), 1
	}
	return append(out, text...), n
}

// isWhole reports whether a whole name was replaced by text, rather than nothing or a
// prefix of it.
func isWhole(text string, closed bool) bool {
	if closed {
		return text == ";" || text[len(text)-1] != ';'
	}
	_, n := utf8.DecodeRuneInString(text)
	return n == len(text)
}

// numbered returns the character of a numeric reference, and the reference's length, 0 if
// it is not one.
func numbered(b []byte) (r rune, n int) {
	i, base := 2, byte(10)
	if i < len(b) && b[i]|0x20 == 'x' {
		i, base = 3, 16
	}
	start := i
	for ; i < len(b) && ascii.Hex(b[i]) < base; i++ {
		if r <= utf8.MaxRune {
			r = rune(base)*r + rune(ascii.Hex(b[i]))
		}
	}
	if i == start {
		return 0, 0
	}
	if i < len(b) && b[i] == ';' {
		i++
	}
	switch {
	case r >= 0x80 && r <= 0x9f:
		if named := charmap.Windows1252.DecodeByte(byte(r)); named != utf8.RuneError {
			r = named // as which HTML reads such numbers
		}
	case r == 0 || r > utf8.MaxRune || r >= 0xd800 && r <= 0xdfff:
		return utf8.RuneError, i
	}
	return r, i
}
