package mail

import (
	"bytes"
	"strings"
)

// part reads the body of a message or part.
func (s *scan) part(p part, body []byte, depth int) {
	if s.parts <= 0 {
		s.defects |= ErrParts
		return
	}
	s.parts--
	if depth >= MaxDepth {
		s.defects |= ErrDepth
		s.plain(p, body)
		return
	}
	switch kind, _, _ := strings.Cut(p.media, "/"); {
	case kind == "multipart":
		// QUIRK: RFC 2045 section 6.4: a multipart has no encoding of its own;
		// one that claims to is read as it is.
		s.multipart(p, body, depth)
	case p.media == "message/rfc822" || p.media == "message/global" || p.media == "message/news":
		s.attachedMessage(p, body, depth)
	case kind == "" || kind == "text" || kind == "message" || p.media == "application/xhtml+xml":
		s.prose(p, body)
	}
}

// attachedMessage reads a message in a message.
//
// QUIRK: RFC 2046 section 5.2.1: it may not be encoded, and is.
func (s *scan) attachedMessage(p part, body []byte, depth int) {
	if coded(p.encoding) {
		decoded, ok := undo(nil, body, p.encoding, min(len(body), s.text))
		s.broken(ok)
		body = decoded
	}
	s.message(strip(body), depth+1)
}

func (s *scan) broken(ok bool) {
	if !ok {
		s.defects |= ErrEncoding
	}
}

// prose counts the words of a text part.
func (s *scan) prose(p part, body []byte) {
	html := p.media == "text/html" || p.media == "application/xhtml+xml"
	text := s.decodeBody(p, body)
	html = html || p.media == "" && looksLikeHTML(text)
	text = s.toUTF8(text, p.charset, html)
	if html {
		s.analyzer.HTML(s.bag, text)
		return
	}
	s.lines(text)
}

// plain counts the words of a text whatever its type.
func (s *scan) plain(p part, body []byte) {
	s.lines(s.toUTF8(s.decodeBody(part{}, body), p.charset, false))
}

// decodeBody undoes the transfer encoding of a text part, as far as there is
// room for text.
func (s *scan) decodeBody(p part, body []byte) []byte {
	if !coded(p.encoding) {
		if len(body) > s.text {
			s.defects |= ErrText
			body = body[:s.text]
		}
		s.text -= len(body)
		return body
	}
	out, ok := undo(s.body[:0], body, p.encoding, s.text)
	s.broken(ok)
	if len(out) >= s.text && len(body) > len(out) {
		s.defects |= ErrText
	}
	s.text = max(0, s.text-len(out))
	s.body = out
	return out
}

// looksLikeHTML says whether a text without a type begins like a page.
func looksLikeHTML(text []byte) bool {
	text = bytes.TrimLeft(text[:min(len(text), sniffBytes)], blank)
	for _, tag := range pageTags {
		if hasPrefixFold(text, tag) {
			return true
		}
	}
	return false
}

// pageTags are those of section 7.1 of the WHATWG MIME sniffing standard that
// mail begins with.
var pageTags = []string{
	"<!doctype html", "<html", "<head", "<body", "<title", "<table", "<div", "<font",
	"<center", "<p>", "<br", "<a href", "<style", "<script", "<iframe", "<h1", "<b>", "<!--", "<img",
}

const sniffBytes = 512
