package mail

import (
	"bytes"
	"iter"
)

// mailboxes iterates over the addresses in a list of mailboxes (RFC 5322 section 3.4), one of each
// mailbox that has one. An address in a display name or a comment does not count: forgers put
// addresses there.
func mailboxes(value []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var angle, word []byte // the address of the mailbox being read, in <> or not

		// An unclosed quote, comment or bracket is an ordinary character. So are later ones of
		// its kind, so that no search covers the same bytes again.
		var unclosed [256]bool
		for at := 0; at <= len(value); at++ {
			c, rest := byte(','), value[at:]
			if len(rest) > 0 {
				c = rest[0]
			}
			end := 0
			switch {
			case c == ',' || c == ';':
				if angle == nil {
					angle = word
				}
				if angle != nil && !yield(angle) {
					return
				}
				angle, word = nil, nil
			case c == ':':
				word = nil // the name of a group
			case unclosed[c]:
			case c == '"':
				end = quoteEnd(rest)
			case c == '(':
				end = commentEnd(rest)
			case c == '<':
				if end = bytes.IndexByte(rest, '>'); end >= 0 {
					// After a route as in RFC 5322 section 4.4.
					if inside := bytes.Trim(rest[1+bytes.LastIndexByte(rest[1:end], ':')+1:end], blank); isAddress(inside) {
						angle = inside
					}
				}
			case !addressEnd[c]:
				for end = 1; end < len(rest) && !addressEnd[rest[end]]; end++ {
				}
				if found := bytes.Trim(rest[:end], "'"); word == nil && isAddress(found) {
					word = found
				}
				end--
			}
			unclosed[c] = end < 0 || unclosed[c]
			at += max(end, 0)
		}
	}
}

// isAddress reports whether b has an @ between other characters, and can be a category.
func isAddress(b []byte) bool {
	at := bytes.LastIndexByte(b, '@')
	return at > 0 && at < len(b)-1 && isCategory(b)
}

// quoteEnd returns the end of the quoted string at the beginning of b, negative if it has no end.
func quoteEnd(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

// commentEnd returns the end of the comment at the beginning of b, negative if it has no
// end. Comments nest.
func commentEnd(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
