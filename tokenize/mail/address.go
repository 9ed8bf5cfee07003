package mail

import (
	"bytes"

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
