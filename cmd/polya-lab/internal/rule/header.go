package rule

import (
	"bytes"
	"mime"
	netmail "net/mail"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
	fields "github.com/polya-classifier/polya/serve/header"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// header is the part of a message that a Sieve test sees: only the well-formed fields of
// the outermost header. ASCII letters are in lower case, as Sieve compares them (RFC 5228
// section 2.7.3).
type header struct {
	from, to []string // addresses
	lists    []string // values of List-Id
	subjects []string // values of Subject
}

// Message is one of the messages to find rules for.
type Message struct {
	ID         count.DocID
	conditions []Condition
}

// NewMessage returns the message with this id, these terms and this content: it meets the
// conditions that its terms name and whose test matches its header.
func NewMessage(id count.DocID, bag *tokenize.Bag, raw []byte) Message {
	m, h := Message{ID: id}, readHeader(raw)
	for i := range bag.Len() {
		term, _ := bag.At(i)
		if c, ok := conditionOf(term); ok && terminal.IsPrintable(c.Value) && h.meets(c) {
			m.conditions = append(m.conditions, c)
		}
	}
	return m
}

// readHeader reads the fields of a header, up to the limit of the bytes that terms are made from. A
// field cut there is dropped: it would seem to be well-formed.
func readHeader(raw []byte) header {
	var h header
	decoder := &mime.WordDecoder{CharsetReader: mail.CharsetReader}
	head := raw[:min(len(raw), mail.MaxHeaderBytes)]
	fields.Each(head, func(name string, value []byte) bool {
		if len(head) < len(raw) && bytes.HasSuffix(bytes.TrimRight(head, "\r\n"), value) {
			return false
		}
		text := strings.NewReplacer("\r", "", "\n", "").Replace(string(value))
		switch name {
		case "from":
			h.from = append(h.from, addresses(decoder, text)...)
		case "to", "cc":
			h.to = append(h.to, addresses(decoder, text)...)
		case "list-id":
			h.lists = append(h.lists, lowerASCII(decoded(decoder, text)))
		case "subject":
			h.subjects = append(h.subjects, lowerASCII(decoded(decoder, text)))
		}
		return true
	})
	return h
}

// addresses returns the addresses of a field, none if it is not well-formed.
func addresses(decoder *mime.WordDecoder, value string) []string {
	list, err := (&netmail.AddressParser{WordDecoder: decoder}).ParseList(value)
	if err != nil {
		return nil
	}
	var all []string
	for _, a := range list {
		all = append(all, lowerASCII(a.Address))
	}
	return all
}

// decoded returns a value with encoded words decoded, "" if the result is not UTF-8.
func decoded(decoder *mime.WordDecoder, value string) string {
	text, err := decoder.DecodeHeader(strings.TrimSpace(value))
	if err != nil || !utf8.ValidString(text) {
		return ""
	}
	return text
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// meets reports whether the test of a condition matches the header.
func (h *header) meets(c Condition) bool {
	switch c.Kind {
	case ListID:
		return slices.ContainsFunc(h.lists, func(list string) bool { return strings.Contains(list, c.Value) })
	case FromAddress:
		return slices.Contains(h.from, c.Value)
	case FromDomain:
		return slices.ContainsFunc(h.from, func(a string) bool {
			domain := a[strings.LastIndexByte(a, '@')+1:]
			return domain == c.Value || strings.HasSuffix(domain, "."+c.Value)
		})
	case Recipient:
		return slices.Contains(h.to, c.Value)
	}
	return slices.ContainsFunc(h.subjects, func(subject string) bool { return strings.Contains(subject, c.Value) })
}
