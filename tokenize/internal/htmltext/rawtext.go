package htmltext

import "bytes"

// This file finds the end of a text that cannot contain tags.

// rawEnd returns the end of the text of element s.raw that begins at s.at.
func (s *Scanner) rawEnd() int {
	switch s.raw {
	case "plaintext":
		return len(s.page)
	case "script":
		return s.scriptEnd()
	}
	for at := s.at; ; at++ {
		n := bytes.IndexByte(s.page[at:], '<')
		if n < 0 {
			return len(s.page)
		}
		if at += n; s.endTagAt(at) {
			return at
		}
	}
}

// endTagAt reports whether the end tag of s.raw is at a place.
func (s *Scanner) endTagAt(at int) bool {
	rest := s.page[at:]
	return len(rest) > 1 && rest[1] == '/' && isNamed(rest[2:], s.raw)
}

// isNamed reports whether the rest of a tag begins with a name, in any case, and a
// character that ends it.
func isNamed(rest []byte, name string) bool {
	if len(rest) <= len(name) || !bytes.EqualFold(rest[:len(name)], []byte(name)) {
		return false
	}
	c := rest[len(name)]
	return isBlank(c) || c == '/' || c == '>'
}

// The states within a script.
const (
	plain   = iota
	escaped // a comment
	double  // a script within a comment, whose end tag does not end the outer one
)

// scriptEnd returns the end of the script that begins at s.at.
func (s *Scanner) scriptEnd() int {
	state, dashes := plain, 0
	for at := s.at; at < len(s.page); {
		rest := s.page[at:]
		switch c := rest[0]; {
		case c == '<':
			if state != double && s.endTagAt(at) {
				return at
			}
			var n int
			state, dashes, n = s.angle(state, at)
			at += n
			continue
		case state == plain: // only "<" matters
			n := bytes.IndexByte(rest, '<')
			if n < 0 {
				return len(s.page)
			}
			at += n
			continue
		case c == '-':
			dashes++
		case c == '>' && dashes > 1:
			state, dashes = plain, 0
		default:
			dashes = 0
		}
		at++
	}
	return len(s.page)
}

// angle returns the state of a script after a "<" that does not end it, the number of
// dashes before, and the number of bytes read.
func (s *Scanner) angle(state, at int) (next, dashes, n int) {
	rest := s.page[at+1:]
	switch state {
	case plain:
		if bytes.HasPrefix(rest, []byte("!--")) {
			return escaped, 2, len("<!--")
		}
		return plain, 0, 1
	case double:
		if s.endTagAt(at) {
			return escaped, 0, len("</script>")
		}
		return double, 0, 1
	}
	switch {
	case isNamed(rest, "script"):
		return double, 0, len("<script>")
	case len(rest) > 0 && (isLetter(rest[0]) || rest[0] == '/'):
		return escaped, 0, 1
	}
	return plain, 0, 1 // as in x/net/html; the standard continues the comment
}
