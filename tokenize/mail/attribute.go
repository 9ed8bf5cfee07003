package mail

import (
	"bytes"
	"math"
	"unicode/utf8"

	"github.com/polya-classifier/polya/internal/dates"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

// maxCategory is the longest category: an address has at most 254 bytes (RFC 5321 section
// 4.5.3.1.3).
const maxCategory = 255

// attributes collects the wanted attributes of a message of size bytes with this header.
func (s *scan) attributes(head []field, size int) {
	for _, name := range s.wanted {
		switch name {
		case "sender":
			s.category(name, firstAddress(head, "from"))
		case "domain":
			s.category(name, domainOf(firstAddress(head, "from")))
		case "list":
			s.category(name, listID(find(head, "list-id")))
		case "to":
			s.category(name, firstAddress(head, "to"))
		case "size":
			s.found = append(s.found, tokenize.Attribute{Name: name, Value: logarithm(size)})
		case "hour", "weekday":
			if at, ok := dates.Parse(find(head, "date")); ok {
				layout := "15"
				if name == "weekday" {
					layout = "Mon"
				}
				s.category(name, at.AppendFormat(nil, layout))
			}
		case "recipients":
			if n, ok := recipients(head); ok {
				s.found = append(s.found, tokenize.Attribute{Name: name, Value: logarithm(n)})
			}
		}
	}
}

// category collects a category, with ASCII letters in lower case as in terms, if
// value can be one.
func (s *scan) category(name string, value []byte) {
	if isCategory(value) {
		s.found = append(s.found, tokenize.Attribute{Name: name, Value: string(ascii.AppendLower(nil, value))})
	}
}

func isCategory(value []byte) bool {
	if len(value) == 0 || len(value) > maxCategory || !utf8.Valid(value) {
		return false
	}
	return !bytes.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r == 0x7f })
}

// logarithm returns log(1+n), in nats, rounded to a multiple of 2^-16, so that it is the
// same on every machine.
func logarithm(n int) float64 {
	return math.Floor(math.Log1p(float64(n))*(1<<16)+0.5) / (1 << 16)
}

// firstAddress returns the first address in a field of a name, nil if there is none.
func firstAddress(head []field, name string) []byte {
	for _, f := range head {
		if string(f.name) == name {
			for address := range mailboxes(f.value) {
				return address
			}
		}
	}
	return nil
}

func domainOf(address []byte) []byte {
	return bytes.TrimRight(address[bytes.LastIndexByte(address, '@')+1:], ".")
}

// listID returns the id in a List-Id (RFC 2919 section 3), or a host whose angle brackets
// are missing.
func listID(value []byte) []byte {
	open := bytes.LastIndexByte(value, '<')
	if inside, _, closed := bytes.Cut(value[open+1:], []byte(">")); open >= 0 && closed {
		return bytes.Trim(inside, blank)
	}
	if value = bytes.Trim(value, blank); isHost(value) {
		return value
	}
	return nil
}

// recipients returns the number of addresses in To and Cc; ok is false if there is
// neither field.
func recipients(head []field) (n int, ok bool) {
	for _, f := range head {
		if name := string(f.name); name == "to" || name == "cc" {
			ok = true
			for range mailboxes(f.value) {
				n++
			}
		}
	}
	return n, ok
}
