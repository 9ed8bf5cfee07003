package main

import (
	"bytes"
	"io"
	"mime"
	"net/mail"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"

	"github.com/polya-classifier/polya/classify/corpus"
	messages "github.com/polya-classifier/polya/tokenize/mail"
)

// messageID is the document's Message-ID, "" if it is no message or has none.
func (d *document) messageID() string {
	if d.format != corpus.Mail {
		return ""
	}
	return messages.MessageID(d.content)
}

// subjectWidth is how much of a subject is shown, in characters.
const subjectWidth = 48

// subject returns the Subject of a message, or "(no subject)".
func subject(raw []byte) string {
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return "(no subject)"
	}
	s := m.Header.Get("Subject")
	if decoded, err := (&mime.WordDecoder{CharsetReader: charsetReader}).DecodeHeader(s); err == nil {
		s = decoded
	}
	if s == "" || !utf8.ValidString(s) {
		return "(no subject)"
	}
	if r := []rune(s); len(r) > subjectWidth {
		s = string(r[:subjectWidth-1]) + "…"
	}
	return s
}

func charsetReader(charset string, r io.Reader) (io.Reader, error) {
	encoding, err := htmlindex.Get(charset)
	if err != nil {
		return nil, err
	}
	return encoding.NewDecoder().Reader(r), nil
}
