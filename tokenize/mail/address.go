package mail

import (
	"bytes"
	"iter"

	"github.com/polya-classifier/polya/tokenize"
)

// people counts the terms of a field of addresses (RFC 5322 section 3.4): words of names,
// whole addresses, their domains. It ignores the grammar: an @ between other characters
// makes an address and all else is words, so that addresses in names and names without
// quotes work too.
func (s *scan) people(name string, value []byte) {
	text := s.decodeHeader(value)
	s.words = s.words[:0]
	for len(text) > 0 {
		n := 0
		for n < len(text) && !addressEnd[text[n]] {
			n++
		}
		if !s.address(name, bytes.Trim(text[:n], "'")) {
			s.words = append(append(s.words, text[:n]...), ' ')
		}
		text = text[min(n+1, len(text)):]
	}
	s.analyzer.Text(s.bag, name, s.words)
}

// addressEnd are the bytes that end an address or a word.
var addressEnd = func() (end [256]bool) {
	for _, c := range []byte(blank + `,;:<>()[]"` + "\x00") {
		end[c] = true
	}
	return end
}()

func (s *scan) address(name string, chunk []byte) bool {
	at := bytes.LastIndexByte(chunk, '@')
	if at <= 0 || at == len(chunk)-1 {
		if name == "list" && isHost(chunk) {
			s.domain(name, chunk)
			return true
		}
		return false
	}
	left := &s.senders // many other addresses leave room for the sender's
	if name == "to" || name == "bcc" {
		left = &s.addresses
	}
	if *left <= 0 {
		s.exceeds("addresses")
		return true
	}
	*left--
	local, domain := chunk[:at], bytes.TrimRight(chunk[at+1:], ".")
	if !returnAddress(name) || digits(local) <= maxDigits {
		s.add(name, chunk)
	}
	s.domain(name, domain)
	return true
}

// returnAddress reports whether programs put a number for each message into the addresses
// of a field, to identify bounces.
func returnAddress(name string) bool { return name == "return-path" || name == "sender" }

// domain counts a host or domain, and the registered domain above it.
func (s *scan) domain(name string, host []byte) {
	s.add(name, host)
	if up := tokenize.Registered(host); len(up) < len(host) {
		s.add(name, up)
	}
}

func digits(b []byte) int {
	n := 0
	for _, c := range b {
		if '0' <= c && c <= '9' {
			n++
		}
	}
	return n
}

// mailboxes iterates over the addresses in a list of mailboxes (RFC 5322 section 3.4), one of each
// mailbox that has one. An address in a display name or a comment does not count: forgers put
// addresses there.
func mailboxes(value []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for l := (mailboxList{rest: value}); len(l.rest) > 0; {
			if address := l.next(); address != nil && !yield(address) {
				return
			}
		}
	}
}

// mailboxList is what is left to read of a list of mailboxes.
type mailboxList struct {
	rest []byte
	// An unclosed quote, comment or bracket is an ordinary character. So are later ones of
	// its kind, so that no search covers the same bytes again.
	unclosed [256]bool
}

// next reads a mailbox, and returns its address: the last one in angle brackets or, without one, the
// first word that is one; nil if there is none.
func (l *mailboxList) next() []byte {
	var angle, word []byte
	for c := byte(0); c != ',' && c != ';' && len(l.rest) > 0; {
		rest, end := l.rest, 0
		switch c = rest[0]; {
		case c == ':':
			word = nil // the name of a group
		case l.unclosed[c]:
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
			for end+1 < len(rest) && !addressEnd[rest[end+1]] {
				end++
			}
			if found := bytes.Trim(rest[:end+1], "'"); word == nil && isAddress(found) {
				word = found
			}
		}
		l.unclosed[c] = l.unclosed[c] || end < 0
		l.rest = rest[max(end, 0)+1:]
	}
	if angle == nil {
		return word
	}
	return angle
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
