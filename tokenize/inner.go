package tokenize

import (
	"bytes"
	"encoding/base64"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

// maxInner is how deep pages are shown in pages. Each is written in an attribute of the one
// around it, so all of them are no larger than the first.
const maxInner = 2

// within reads a page that is shown in an element: HTML, or a link data: with a text.
func (p *Page) within(page []byte) {
	if ascii.HasPrefix(page, "data:") {
		page = dataText(page)
	}
	if len(page) == 0 || p.inner >= maxInner {
		return
	}
	p.sign("disguise:page")
	floor, skip := p.floor, p.skip
	p.floor, p.skip = len(p.open), 0
	p.inner++
	p.gap()
	p.read(page)
	p.popTo(p.floor)
	p.gap()
	p.inner--
	p.floor, p.skip = floor, skip
}

// dataText returns the text in a link data: (RFC 2397), nil if it has another type.
func dataText(link []byte) []byte {
	about, data, _ := bytes.Cut(link[len("data:"):], []byte(","))
	typ := bytes.ToLower(about)
	if len(typ) > 0 && !bytes.HasPrefix(typ, []byte("text/")) && !bytes.Contains(typ, []byte("svg")) && !bytes.Contains(typ, []byte("html")) {
		return nil
	}
	data = ascii.AppendPercent(nil, data)
	if bytes.HasSuffix(typ, []byte(";base64")) {
		n, _ := base64.RawStdEncoding.Decode(data, bytes.TrimRight(data, "="))
		data = data[:n]
	}
	return data
}

// leads notes whether the text of the last link names another host than the link.
func (p *Page) leads(text []byte) {
	if said := namedHost(text); said != nil && len(p.Links) > 0 {
		_, host, _ := splitURL(bytes.Clone(p.Links[len(p.Links)-1]))
		if len(host) > 0 && !bytes.EqualFold(Registered(said), Registered(host)) {
			p.sign("disguise:link")
		}
	}
}

// namedHost returns the host that the text of a link seems to lead to, nil if none.
func namedHost(text []byte) []byte {
	if len(text) > maxURL || bytes.IndexByte(text, '.') < 0 {
		return nil
	}
	text = bytes.TrimSpace(text)
	if at := bytes.Index(text, []byte("://")); at >= 0 {
		text = text[at+3:]
	}
	host := hostOf(text)
	if rest := text[len(host):]; len(rest) > 0 && rest[0] != '/' && rest[0] != ':' && rest[0] != '?' {
		return nil
	}
	last := host[bytes.LastIndexByte(host, '.')+1:]
	if len(last) == len(host) || len(last) < 2 || !isWordOfLetters(last) {
		return nil
	}
	return host
}

// Registered guesses the domain that somebody registered, the host itself or above it: its last
// two labels, or three if the second is one of co, com, ac … under a country.
func Registered(host []byte) []byte {
	at := bytes.LastIndexByte(host, '.')
	before := bytes.LastIndexByte(host[:max(at, 0)], '.')
	if len(host)-at == len(".uk") && at-before <= len(".com") && before >= 0 {
		before = bytes.LastIndexByte(host[:before], '.')
	}
	return host[before+1:]
}
