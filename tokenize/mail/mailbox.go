package mail

import "bytes"

// mailboxes reads a list of mailboxes (RFC 5322 section 3.4) for their addresses.
type mailboxes struct {
	value []byte
	at    int

	angle, word []byte // the address of the mailbox being read, in <> or not

	// An unclosed quote, comment or bracket is an ordinary character. So are later ones of
	// its kind, so that no search covers the same bytes again.
	openQuote, openComment, openAngle bool
}

// eachMailbox calls f with the address of each mailbox in value that has one, until f
// returns false. An address in a display name or a comment does not count: forgers put
// addresses there.
func eachMailbox(value []byte, f func(address []byte) bool) {
	m := mailboxes{value: value}
	for m.at < len(value) {
		if m.step() && !m.give(f) {
			return
		}
	}
	m.give(f)
}

// give passes the address of the mailbox that has ended to f.
func (m *mailboxes) give(f func([]byte) bool) bool {
	address := m.angle
	if address == nil {
		address = m.word
	}
	m.angle, m.word = nil, nil
	return address == nil || f(address)
}

// step reads a word or something in brackets and reports whether a mailbox ends there.
func (m *mailboxes) step() (ends bool) {
	switch c := m.value[m.at]; {
	case c == ',' || c == ';':
		ends = true
	case c == ':':
		m.word = nil // the name of a group
	case c == '"' && !m.openQuote:
		m.openQuote = !m.skip(quoteEnd(m.value[m.at:]))
		return false
	case c == '(' && !m.openComment:
		m.openComment = !m.skip(commentEnd(m.value[m.at:]))
		return false
	case c == '<' && !m.openAngle:
		start := m.at + 1
		m.openAngle = !m.skip(bytes.IndexByte(m.value[m.at:], '>'))
		if !m.openAngle {
			m.inAngle(m.value[start : m.at-1])
		}
		return false
	case !addressEnd[c]:
		m.readWord()
		return false
	}
	m.at++
	return ends
}

// skip advances by n bytes, or by one byte if n is negative.
func (m *mailboxes) skip(n int) bool {
	m.at += max(n, 0) + 1
	return n >= 0
}

// inAngle reads the address in angle brackets, after a route as in RFC 5322 section 4.4.
func (m *mailboxes) inAngle(inside []byte) {
	inside = bytes.Trim(inside[bytes.LastIndexByte(inside, ':')+1:], blank)
	if isAddress(inside) {
		m.angle = inside
	}
}

func (m *mailboxes) readWord() {
	start := m.at
	for m.at < len(m.value) && !addressEnd[m.value[m.at]] {
		m.at++
	}
	if word := bytes.Trim(m.value[start:m.at], "'"); m.word == nil && isAddress(word) {
		m.word = word
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
