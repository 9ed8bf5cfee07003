package evasion

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// message is a message split into the fields that describe its body, all other fields, and
// the body.
type message struct {
	fields, content, body []byte
}

// parse cuts a message. A line "From " of an mbox before it goes.
func parse(raw []byte) message {
	if bytes.HasPrefix(raw, []byte("From ")) {
		_, raw, _ = bytes.Cut(raw, []byte("\n"))
	}
	var m message
	about := false // whether the current field describes the body
	for len(raw) > 0 {
		line, rest, _ := bytes.Cut(raw, []byte("\n"))
		raw = rest
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) == 0 {
			break
		}
		if line[0] != ' ' && line[0] != '\t' {
			name := strings.ToLower(string(line))
			about = strings.HasPrefix(name, "content-")
			if strings.HasPrefix(name, "mime-version") {
				continue
			}
		}
		if about {
			m.content = append(append(m.content, line...), '\n')
		} else {
			m.fields = append(append(m.fields, line...), '\n')
		}
	}
	m.body = raw
	return m
}

// boundary separates the parts of a message made here.
const boundary = "----=_Part_7210_1338.4711"

// with returns the message as a multipart message: the original body, and another part.
func (m message) with(fields, body string) []byte {
	const line = "--" + boundary
	return slices.Concat(m.fields, []byte("MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\""+boundary+"\"\n\n"+line+"\n"),
		m.content, []byte("\n"), m.body, []byte("\n"+line+"\n"+fields+"\n"+body+"\n"+line+"--\n"))
}

// plain reports whether text can be appended to the body as it is, and html whether it is
// HTML.
func (m message) plain() (plain, html bool) {
	content := strings.ToLower(string(m.content))
	if strings.Contains(content, "multipart/") || strings.Contains(content, "message/") ||
		strings.Contains(content, "base64") || strings.Contains(content, "quoted-printable") {
		return false, false
	}
	return true, strings.Contains(content, "text/html")
}

var bodyEnd = regexp.MustCompile(`(?i)</body>`)

// appended returns the message with text at the end of its body, or, where that is encoded
// or has parts, in a part of its own after it.
func (m message) appended(text string) []byte {
	plain, html := m.plain()
	if !plain {
		return m.with(textPlain, text)
	}
	body, mime := string(m.body)+"\n\n"+text+"\n", ""
	if html {
		at := len(m.body)
		if ends := bodyEnd.FindAllIndex(m.body, -1); ends != nil {
			at = ends[len(ends)-1][0]
		}
		body = string(m.body[:at]) + "\n<p>" + text + "</p>\n" + string(m.body[at:])
	}
	if len(m.content) > 0 {
		mime = "MIME-Version: 1.0\n" + string(m.content)
	}
	return []byte(string(m.fields) + mime + "\n" + body)
}

// anonymous returns the message with fields that do not identify its sender.
func (m message) anonymous() message {
	m.fields = []byte("From: " + stranger + "\nTo: " + victim + "\nSubject: Hello\n" +
		"Date: Mon, 5 Aug 2002 10:11:12 +0000\nMessage-ID: <20020805101112.4711@" + domain + ">\n")
	return m
}

const (
	domain   = "evasion.example"
	stranger = "Kim <kim@" + domain + ">"
	victim   = "Sam <sam@example.org>"
)

const textPlain = "Content-Type: text/plain; charset=utf-8\n"
