package rule

import (
	"bytes"
	"fmt"
	"mime"
	"strings"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
	fields "github.com/polya-classifier/polya/serve/header"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// Kind is the part of a header that a Condition tests.
type Kind uint8

// The kinds of conditions, in the order of conditions in a rule.
const (
	ListID      Kind = iota // List-Id contains the value
	FromAddress             // From has the address
	FromDomain              // From has an address in the domain, or in one below it
	Recipient               // To or Cc has the address
	SubjectWord             // Subject has the word, spelled as the term of the analyzer
	kinds
)

// Condition is one test of a message's header. The Value is in lower case, as in
// the terms of package mail.
type Condition struct {
	Kind  Kind
	Value string
}

// Term returns the term that every document meeting the condition has.
func (c Condition) Term() string { return termPrefix[c.Kind] + c.Value }

// termPrefix is the field of the terms of a kind, as tokenize/mail names them.
var termPrefix = [kinds]string{"list:", "from:", "from:", "to:", "subject:"}

// kindOf returns the kind of condition for a term, kinds if there is none. Words of names
// in From and To and in the name of a list are not conditions: anybody can write them.
func kindOf(term []byte) Kind {
	field, value, _ := bytes.Cut(term, []byte(":"))
	address, dotted := bytes.IndexByte(value, '@') > 0, bytes.IndexByte(value, '.') > 0
	switch string(field) {
	case "from":
		switch {
		case address:
			return FromAddress
		case dotted:
			return FromDomain
		}
	case "to":
		if address {
			return Recipient
		}
	case "list":
		if address || dotted {
			return ListID
		}
	case "subject":
		if len(value) > 0 {
			return SubjectWord
		}
	}
	return kinds
}

// conditionOf returns the condition for a term, false if rules do not use such terms.
func conditionOf(term []byte) (Condition, bool) {
	kind := kindOf(term)
	if kind == kinds {
		return Condition{}, false
	}
	return Condition{kind, string(term[len(termPrefix[kind]):])}, true
}

// Test returns the condition as a test of Sieve (RFC 5228).
func (c Condition) Test() string {
	switch c.Kind {
	case ListID:
		return `header :contains "list-id" ` + quoted(c.Value)
	case FromAddress:
		return `address :is "from" ` + quoted(c.Value)
	case Recipient:
		return `address :is ["to", "cc"] ` + quoted(c.Value)
	case FromDomain:
		return fmt.Sprintf(`address :domain :matches "from" [%s, %s]`, quoted(literal(c.Value)), quoted("*."+literal(c.Value)))
	}
	return `header :contains "subject" ` + quoted(c.Value)
}

// quoted returns s as a quoted string: only quotes and backslashes are escaped.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// literal escapes characters with a meaning in a pattern of ":matches" (section 2.7.1).
func literal(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`).Replace(s)
}

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

func (h *header) has(c Condition) bool {
	text := h[c.Kind]
	if c.Kind == FromDomain { // not a word with a point in a name
		return strings.Contains(text, "@"+c.Value) || strings.Contains(text, "."+c.Value)
	}
	return strings.Contains(text, c.Value)
}
