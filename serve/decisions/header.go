package decisions

import (
	"mime"
	"strings"
	"unicode"

	"github.com/polya-classifier/polya/serve/header"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// maxField and maxHeader are the bytes kept of a header field, and read of a header.
const (
	maxField  = 200
	maxHeader = 64 << 10
)

var words = mime.WordDecoder{CharsetReader: mail.CharsetReader}

// Fields returns the From and the Subject of a message, as far as they can be read, each on one line.
func Fields(message []byte) (sender, subject string) {
	header.Each(message[:min(len(message), maxHeader)], func(name string, value []byte) bool {
		switch {
		case name == "from" && sender == "":
			sender = text(value)
		case name == "subject" && subject == "":
			subject = text(value)
		}
		return sender == "" || subject == ""
	})
	return sender, subject
}

// text returns a value decoded, on one printable line of at most maxField bytes.
func text(value []byte) string {
	value = value[:min(len(value), 10*maxField)]
	s := string(value)
	if decoded, err := words.DecodeHeader(s); err == nil {
		s = decoded
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || unicode.IsSpace(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxField {
		s = strings.ToValidUTF8(s[:maxField], "") + "…"
	}
	return s
}
