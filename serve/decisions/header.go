package decisions

import (
	"bytes"
	"mime"
	"strings"
	"unicode"
)

// maxField is the number of bytes that are kept of a header field, and maxHeader of those
// that are looked at.
const (
	maxField  = 200
	maxHeader = 64 << 10
)

var words mime.WordDecoder

// Fields returns the From and the Subject of a message, as text on one line each, as far
// as they can be read.
func Fields(message []byte) (sender, subject string) {
	rest := message[:min(len(message), maxHeader)]
	for len(rest) > 0 && (sender == "" || subject == "") {
		var field []byte
		field, rest = nextField(rest)
		if len(bytes.TrimSpace(field)) == 0 {
			break // the end of the header
		}
		name, value, found := bytes.Cut(field, []byte(":"))
		if !found {
			continue
		}
		switch name = bytes.TrimSpace(name); {
		case sender == "" && bytes.EqualFold(name, []byte("From")):
			sender = text(value)
		case subject == "" && bytes.EqualFold(name, []byte("Subject")):
			subject = text(value)
		}
	}
	return sender, subject
}

// nextField returns a line with those that continue it, and what follows.
func nextField(header []byte) (field, rest []byte) {
	end := 0
	for {
		i := bytes.IndexByte(header[end:], '\n')
		if i < 0 {
			return header, nil
		}
		end += i + 1
		blank := len(bytes.TrimSpace(header[:end])) == 0
		if blank || end == len(header) || header[end] != ' ' && header[end] != '\t' {
			return header[:end], header[end:]
		}
	}
}

// text returns a value decoded, with one space for what is none, and not too long.
func text(value []byte) string {
	value = value[:min(len(value), 10*maxField)]
	s := string(value)
	if decoded, err := words.DecodeHeader(s); err == nil {
		s = decoded
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxField {
		s = strings.ToValidUTF8(s[:maxField], "") + "…"
	}
	return s
}
