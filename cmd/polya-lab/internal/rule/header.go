package rule

import (
	"mime"
	"strings"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
	fields "github.com/polya-classifier/polya/serve/header"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// header has the text of the fields that a Sieve test sees, by kind of condition: those of the
// outermost header. ASCII letters are in lower case, as Sieve compares them (RFC 5228 section 2.7.3).
type header [kinds]string

// kindsOf are the kinds of conditions that test a field.
var kindsOf = map[string][]Kind{
	"list-id": {ListID}, "from": {FromAddress, FromDomain}, "to": {Recipient}, "cc": {Recipient}, "subject": {SubjectWord},
}

// Message is one of the messages to find rules for.
type Message struct {
	ID         count.DocID
	conditions []Condition
}

// NewMessage returns the message with this id, these terms and this content: it meets the
// conditions that its terms name and whose value its header has in a field that they test.
func NewMessage(id count.DocID, bag *tokenize.Bag, raw []byte) Message {
	m, h := Message{ID: id}, readHeader(raw)
	for i := range bag.Len() {
		term, _ := bag.At(i)
		if c, ok := conditionOf(term); ok && terminal.IsPrintable(c.Value) && h.has(c) {
			m.conditions = append(m.conditions, c)
		}
	}
	return m
}

// readHeader reads the fields of a header, up to the limit of the bytes that terms are made from. One
// that is not text in a known charset is left out.
func readHeader(raw []byte) (h header) {
	decoder := &mime.WordDecoder{CharsetReader: mail.CharsetReader}
	fields.Each(raw[:min(len(raw), mail.MaxHeaderBytes)], func(name string, value []byte) bool {
		for _, kind := range kindsOf[name] {
			if text, err := decoder.DecodeHeader(strings.NewReplacer("\r", "", "\n", "").Replace(string(value))); err == nil {
				h[kind] += "\n" + lowerASCII(text)
			}
		}
		return true
	})
	return h
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// has reports whether the header has the value of a condition.
func (h *header) has(c Condition) bool {
	text := h[c.Kind]
	if c.Kind == FromDomain { // not a word with a point in a name
		return strings.Contains(text, "@"+c.Value) || strings.Contains(text, "."+c.Value)
	}
	return strings.Contains(text, c.Value)
}
