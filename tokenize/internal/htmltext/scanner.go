package htmltext

import (
	"bytes"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

// Kind is the kind of a token.
type Kind uint8

const (
	End     Kind = iota // there are no more
	Text                // text between tags
	Start               // a start tag
	Close               // an end tag
	Comment             // a comment, a declaration, or markup that HTML treats as a comment
)

// Scanner splits a page into the same tokens as the Tokenizer of x/net/html, which reads a
// stream, in less than half of its time.
type Scanner struct {
	page  []byte
	at    int
	Token []byte // as written in the page
	Name  []byte // of the tag, as written
	raw   string // the element whose text comes next has no tags in it; "" for none
	// verbatim says that the text has no names of characters.
	verbatim bool
}

// NewScanner returns a Scanner of page, which it does not change.
func NewScanner(page []byte) Scanner { return Scanner{page: page} }

// Next advances to the next token. An incomplete tag is not a token, and ends the page.
func (s *Scanner) Next() Kind {
	start := s.at
	if s.raw != "" {
		s.verbatim, s.at = s.raw != "textarea" && s.raw != "title", s.rawEnd()
		s.raw = ""
		if s.at > start {
			s.Token = s.page[start:s.at]
			return Text
		}
	}
	s.verbatim = false
	kind, at := s.markup(start)
	if at > start {
		s.at, s.Token = at, s.page[start:at]
		return Text
	}
	switch kind {
	case Start:
		return s.tag(1, Start)
	case Close:
		return s.tag(2, Close)
	case Comment:
		s.at = s.commentEnd()
		s.Token = s.page[start:s.at]
	}
	return kind
}

// markup returns the kind and the place of the first token at or after a place that is
// not text. End is at the end of the page.
func (s *Scanner) markup(at int) (Kind, int) {
	for {
		n := bytes.IndexByte(s.page[at:], '<')
		if n < 0 || at+n+1 == len(s.page) {
			return End, len(s.page)
		}
		at += n
		switch c := s.page[at+1]; {
		case isLetter(c):
			return Start, at
		case c == '!' || c == '?':
			return Comment, at
		case c == '/' && at+2 == len(s.page): // a text
		case c == '/' && isLetter(s.page[at+2]):
			return Close, at
		case c == '/':
			return Comment, at
		}
		at++
	}
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// tag reads a tag whose name begins so many bytes after the current place.
func (s *Scanner) tag(behind int, kind Kind) Kind {
	start := s.at
	r := newTag(s.page[start:], behind)
	s.Name = r.raw[behind:r.named]
	for more := true; more; {
		_, _, more = r.Next()
	}
	if r.at >= len(r.raw) {
		s.at = len(s.page)
		return End
	}
	s.at = start + r.at + 1
	s.Token = s.page[start:s.at]
	if kind == Start && len(s.Name) <= longestRaw {
		var lower [longestRaw]byte
		switch name := ascii.AppendLower(lower[:0], s.Name); string(name) {
		case "iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "xmp", "textarea", "title":
			s.raw = string(name)
		}
	}
	return kind
}

// longestRaw is the length of the longest name of an element whose text cannot contain tags.
const longestRaw = len("plaintext")

// Rest returns the page after the token.
func (s *Scanner) Rest() []byte { return s.page[s.at:] }

// AppendText appends the text that the current token is to dst.
func (s *Scanner) AppendText(dst []byte) []byte {
	if s.verbatim {
		return append(dst, s.Token...)
	}
	return appendUnescaped(dst, s.Token, false)
}

// HasTags makes the scanner look for tags in the element that has just begun.
func (s *Scanner) HasTags() { s.raw = "" }

// commentEnd returns the end of the comment at the current place.
func (s *Scanner) commentEnd() int {
	start := s.at + len("<!")
	if s.page[s.at+1] == '!' && bytes.HasPrefix(s.page[start:], []byte("--")) {
		start += len("--")
		for at := start; ; at++ {
			n := bytes.IndexByte(s.page[at:], '>')
			if n < 0 {
				return len(s.page)
			}
			if at += n; endsComment(s.page[start:at]) {
				return at + 1
			}
		}
	}
	if s.page[s.at+1] != '!' {
		start-- // "<?>" ends there
	}
	if n := bytes.IndexByte(s.page[start:], '>'); n >= 0 {
		return start + n + 1
	}
	return len(s.page)
}

// endsComment reports whether a comment with this text ends at the ">" after it.
func endsComment(text []byte) bool {
	if bytes.HasSuffix(text, []byte("--")) || bytes.HasSuffix(text, []byte("--!")) {
		return true
	}
	return len(text) == 0 || len(text) == 1 && text[0] == '-'
}
