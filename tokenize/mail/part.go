package mail

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

// part reads the body of a message or part.
func (s *scan) part(p part, body []byte, depth int) {
	outer, fields, kept := s.hint, len(s.fields), len(s.kept)
	kind := s.kindOf(p, body)
	for ; kind == asMessage; kind = s.kindOf(p, body) {
		if depth++; depth > MaxDepth {
			s.exceeds("depth")
		}
		p, body = s.header(s.attached(p, body), depth)
		p.charset, p.boundary = bytes.Clone(p.charset), bytes.Clone(p.boundary)
		s.hint = p.charset
		s.fields, s.kept = s.fields[:fields], s.kept[:kept]
	}
	switch {
	case kind == asMultipart:
		// QUIRK: RFC 2045 section 6.4: a multipart has no encoding of its own; if one is stated
		// it is ignored.
		s.multipart(p, body, depth)
	case kind == asText:
		s.prose(p, body)
	case p.isArchive():
		s.archive(p, body)
	}
	s.hint = outer
}

// The kinds of parts, by how they are read.
const (
	asData = iota // not read
	asText
	asMultipart
	asMessage
)

// kindOf returns how to read a part: by its type, but of data by the name of the file or, if
// the type says nothing, by how it begins, as who opens it would see it.
func (s *scan) kindOf(p part, body []byte) int {
	kind := p.kind()
	switch {
	case kind != asData:
	case p.ext == "eml":
		return asMessage
	case p.isPage() || p.ext == "txt" || p.ext == "ics" || p.ext == "vcf":
		return asText
	case p.media == octets:
		start := s.decodeBody(p, body[:min(len(body), sniffBytes)])
		if byteOrderMark(start) != "" || !bytes.ContainsFunc(start, isControl) {
			return asText
		}
	}
	return kind
}

// octets is the type of data of any kind.
const octets = "application/octet-stream"

// isControl recognises the characters of which a text has none.
func isControl(r rune) bool {
	return r < ' ' && (r < '\t' || r > '\r') && r != 0x1b || r == utf8.RuneError
}

// isPage reports whether a part is shown as a page: by its type, or by its name if its type
// is that of no picture.
func (p part) isPage() bool {
	switch p.media {
	case "text/html", "application/xhtml+xml", "text/x-amp-html", "text/xml", "application/xml", "image/svg+xml", "text/enriched", "text/richtext":
		return true
	}
	switch p.ext {
	case "htm", "html", "shtml", "xhtml", "xht", "svg":
		return !strings.HasPrefix(p.media, "image/")
	}
	return false
}

func (p part) kind() int {
	switch kind, _, _ := strings.Cut(p.media, "/"); {
	case p.media == "text/rtf":
	case kind == "multipart":
		return asMultipart
	case p.media == "message/rfc822" || p.media == "message/global" || p.media == "message/news":
		return asMessage
	case kind == "" || kind == "text" || kind == "message":
		return asText
	}
	return asData
}

// attached returns a message in a message.
//
// QUIRK: RFC 2046 section 5.2.1: it must not be encoded, but is in practice.
func (s *scan) attached(p part, body []byte) []byte {
	if coded(p.encoding) {
		if s.undoBytes <= 0 {
			s.exceeds("scan")
			return strip(body)
		}
		if len(body) > MaxMarkup {
			s.exceeds("text")
			body = body[:cutAt(body, MaxMarkup)]
		}
		s.undoBytes -= len(body)
		body = undo(nil, body, p.encoding)
	}
	return strip(body)
}

// prose counts the words of a text part, of a long one only at both ends.
func (s *scan) prose(p part, body []byte) {
	if len(body) > s.markup {
		n := cutAt(body, s.markup)
		rest := s.lastOf(body[n:], MaxMarkup/2)
		p.charset = bytes.Clone(p.charset)
		s.postpone(len(rest), func() { s.prose(p, rest) })
		body = body[:n]
	}
	s.markup -= len(body)
	if text := s.decodeBody(p, body); len(text) > 0 {
		s.text(p, text)
	}
}

// lastOf returns at most the last n bytes of a body.
func (s *scan) lastOf(body []byte, n int) []byte {
	if len(body) <= n {
		return body
	}
	s.exceeds("text")
	at := len(body) - n
	return body[at+cutAt(body[at:], nearLine):]
}

// cutAt returns a place in body to cut it, at n or before: after a line break if one is
// near, where all transfer encodings can start again, or else at a multiple of four digits.
func cutAt(body []byte, n int) int {
	low := max(0, n-nearLine)
	if i := bytes.LastIndexByte(body[low:n], '\n'); i >= 0 {
		return low + i + 1
	}
	return n &^ 3
}

// nearLine is the distance within which a line break is searched.
const nearLine = 4 << 10

// text counts the words of a text in a charset.
func (s *scan) text(p part, text []byte) {
	html := p.isPage()
	untyped := !html && (p.media == "" || p.media == octets)
	text = s.toUTF8(text, p.charset, html || untyped && looksLikeHTML(text))
	if html || untyped && looksLikeHTML(text) {
		s.html(text)
		return
	}
	switch {
	case p.delsp:
		text = s.unflowed(text)
	case p.media == "text/calendar" || p.media == "text/vcard" || p.media == "text/x-vcard" || p.media == "text/directory":
		text = s.unfolded(text)
	}
	s.lines(text)
}

func (s *scan) html(text []byte) {
	s.page.Read(text)
	for _, link := range s.page.Links {
		if link = s.links.take(link); len(link) > 0 {
			s.link(link)
		}
	}
	s.count(s.page.Visible)
	s.textOf("invisible", s.hidden.take(s.page.Invisible))
	for _, sign := range s.page.Signs {
		s.bag.Add([]byte(sign))
	}
}

func (s *scan) count(text []byte) {
	s.visible(s.seen.take(text))
}

func (s *scan) visible(text []byte) {
	before := s.bag.Tokens()
	s.textOf("", text)
	s.readable = s.readable || s.bag.Tokens() > before
}

// textOf counts the words of a text in a field: "" or "invisible".
func (s *scan) textOf(field string, text []byte) {
	if len(text) > 0 {
		s.show(field, false, text)
		s.analyzer.Text(s.bag, field, text)
	}
}

func (s *scan) link(link []byte) {
	s.show("url", false, link)
	s.analyzer.URL(s.bag, link)
}

// countRests counts the kept ends of texts.
func (s *scan) countRests() {
	s.visible(s.seen.rest())
	s.textOf("invisible", s.hidden.rest())
	if rest := s.links.rest(); len(rest) > 0 {
		for link := range bytes.SplitSeq(rest, newline) {
			s.link(link)
		}
	}
	if s.seen.lost {
		s.exceeds("text")
	}
	if s.hidden.lost || s.links.lost {
		s.exceeds("hidden")
	}
}

// decodeBody undoes the transfer encoding of a part. The result is valid until the next call.
func (s *scan) decodeBody(p part, body []byte) []byte {
	if !coded(p.encoding) {
		return body
	}
	s.body = undo(s.body[:0], body, p.encoding)
	return s.body
}

// looksLikeHTML reports whether a text without a type begins like a page.
func looksLikeHTML(text []byte) bool {
	text = bytes.TrimLeft(bytes.TrimPrefix(text[:min(len(text), sniffBytes)], []byte("\ufeff")), blank)
	return slices.ContainsFunc(pageTags, func(tag string) bool { return ascii.HasPrefix(text, tag) })
}

// pageTags are the tags of section 7.1 of the WHATWG MIME sniffing standard that mail
// begins with.
var pageTags = []string{
	"<!doctype html", "<html", "<head", "<body", "<title", "<table", "<div", "<font",
	"<center", "<p>", "<br", "<a href", "<style", "<script", "<iframe", "<h1", "<b>", "<!--", "<img",
}

const sniffBytes = 512
