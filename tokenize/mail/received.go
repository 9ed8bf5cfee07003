package mail

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"slices"
	"strconv"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

// hops counts the terms of a Received field (RFC 5321 section 4.4), up to its
// date.
func (s *scan) hops(value []byte) {
	if s.received <= 0 {
		s.exceeds("addresses")
		return
	}
	s.received--
	if date := bytes.LastIndexByte(value, ';'); date >= 0 {
		value = value[:date]
	}
	s.hosts(value)
}

// hosts counts the hosts, addresses and networks named in a text.
func (s *scan) hosts(text []byte) {
	for len(text) > 0 {
		n, parts := 0, false
		for n < len(text) && hostBytes[text[n]] != endsHost {
			parts = parts || hostBytes[text[n]] == partsHost
			n++
		}
		if parts { // most words have only one
			s.host(bytes.TrimRight(text[:n], "."))
		}
		text = text[min(n+1, len(text)):]
	}
}

// hostBytes gives the role of a byte in a host. A colon does not end it, because of IPv6.
var hostBytes = func() (what [256]byte) {
	for _, c := range []byte(blank + `,;<>()[]"=` + "\x00") {
		what[c] = endsHost
	}
	what['.'], what[':'] = partsHost, partsHost
	return what
}()

const (
	endsHost  = 1
	partsHost = 2 // ends a label or a number
)

// host counts the terms of a host, of an address with its networks, and nothing
// for any other word.
func (s *scan) host(word []byte) {
	switch {
	case len(word) < 4 || len(word) > maxHost:
	case isIPv4(word):
		s.network(word)
	case isHost(word):
		s.domain("received", word)
	case bytes.Count(word, []byte(":")) > 1:
		s.network6(word)
	}
}

// maxHost is the longest host name, RFC 1035 section 2.3.4.
const maxHost = 255

// network counts an IPv4 address, its /24 and its /16: senders move within a
// network.
func (s *scan) network(ip []byte) {
	if bytes.HasPrefix(ip, []byte("127.")) {
		return
	}
	s.add("received", ip)
	for range 2 {
		ip = ip[:bytes.LastIndexByte(ip, '.')]
		s.add("received", ip)
	}
}

// network6 counts the /48 and the /32 of an IPv6 address: a sender has at least a /64,
// and changes addresses in it.
func (s *scan) network6(word []byte) {
	if ascii.HasPrefix(word, "ipv6:") {
		word = word[len("ipv6:"):]
	}
	if len(word) > maxIPv6 {
		return
	}
	ip, err := netip.ParseAddr(string(word))
	if err != nil || !ip.Is6() || ip.IsLoopback() || ip.Is4In6() {
		return // nothing, the machine itself, or an IPv4 address
	}
	groups := ip.As16()
	text := s.words[:0]
	for i := range 3 {
		text = strconv.AppendUint(text, uint64(binary.BigEndian.Uint16(groups[2*i:])), 16)
		if i > 0 {
			s.add("received", text)
		}
		text = append(text, ':')
	}
	s.words = text
}

const maxIPv6 = 64

// isIPv4 reports whether b is an address in four numbers.
func isIPv4(b []byte) bool {
	dots, digits, value := 0, 0, 0
	for _, c := range b {
		switch {
		case c == '.' && digits > 0:
			dots++
			digits, value = 0, 0
		case '0' <= c && c <= '9' && digits < 3:
			digits++
			value = value*10 + int(c-'0')
		default:
			return false
		}
		if value > 255 {
			return false
		}
	}
	return dots == 3 && digits > 0
}

// isHost reports whether b is a host name of two or more labels whose last is a top-level
// domain: letters or "xn--". Version numbers are not.
func isHost(b []byte) bool {
	dot := -1
	for i, c := range b {
		switch {
		case c == '.':
			if i == dot+1 {
				return false
			}
			dot = i
		case !alnum[c] && c != '-' && c != '_':
			return false
		}
	}
	if dot < 1 || len(b)-dot < 3 {
		return false
	}
	top := b[dot+1:]
	if ascii.HasPrefix(top, "xn--") {
		return true
	}
	return !slices.ContainsFunc(top, func(c byte) bool { return !letter(c) })
}
