package tokenize

import (
	"bytes"

	"golang.org/x/net/html/atom"
)

// The visibility of an element.
type sight uint8

const (
	seen   sight = iota
	unseen       // invisible but laid out, so that a block separates the words around it
	absent       // it is not laid out: "y<div hidden></div>our" reads "your"
)

// open records that an element has begun, and whether its style hides it. An element with
// a name unknown to HTML has no text of its own to hide.
func (p *Page) open(tag atom.Atom, s sight) {
	hides := s != seen
	switch {
	case p.hidden == 0 && hides && tag != 0 && tag != atom.Body && tag != atom.Html:
		// The gap is in the hidden text: the visible text continues after the element.
		p.hidden, p.depth, p.absent = tag, 1, s == absent
		p.gap()
	case p.hidden == tag && tag != 0 && endsItself(tag):
		// <p> ends an open <p>.
		p.depth = 1
		p.absent = s == absent
		if !hides {
			p.hidden, p.depth = 0, 0
			p.gap()
		}
	case p.hidden == tag && tag != 0:
		p.depth++
	}
}

func (p *Page) endTag(tag atom.Atom) {
	if p.skip == tag {
		p.skip = 0
	}
	p.unmark(tag)
	if p.hidden == tag && tag != 0 {
		p.depth--
		if p.depth == 0 {
			p.gap()
			p.hidden = 0
			if p.absent {
				return
			}
		}
	}
	if breaksLine(tag) {
		p.gap()
	}
}

// sightOf returns the visibility that a style attribute gives.
func sightOf(style []byte) sight {
	least := seen
	for len(style) > 0 {
		var part []byte
		part, style, _ = bytes.Cut(style, []byte(";"))
		key, value, ok := bytes.Cut(part, []byte(":"))
		if !ok {
			continue
		}
		value, _, _ = bytes.Cut(value, []byte("!"))
		key, value = bytes.TrimSpace(key), bytes.TrimSpace(value)
		switch {
		case equalFold(key, "display"):
			if equalFold(value, "none") {
				return absent
			}
			ok = false
		case equalFold(key, "visibility"):
			ok = equalFold(value, "hidden")
		case equalFold(key, "mso-hide"):
			ok = equalFold(value, "all")
		case equalFold(key, "font-size"), equalFold(key, "opacity"):
			ok = isZero(value)
		default:
			ok = false
		}
		if ok {
			least = unseen
		}
	}
	return least
}

// isZero recognises 0, 0px, 0.0em and the like.
func isZero(value []byte) bool {
	n := 0
	for n < len(value) && (value[n] == '0' || value[n] == '.') {
		n++
	}
	return n > 0 && (n == len(value) || class[value[n]] != digit)
}

// breaksLine reports whether an element ends a line, and so a word. Any other tag, known
// or made up, can be inside a word.
func breaksLine(tag atom.Atom) bool {
	switch tag {
	case atom.Address, atom.Article, atom.Aside, atom.Audio, atom.Blockquote, atom.Body, atom.Br, atom.Button,
		atom.Caption, atom.Center, atom.Dd, atom.Details, atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset,
		atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.Frame, atom.Frameset, atom.H1, atom.H2, atom.H3,
		atom.H4, atom.H5, atom.H6, atom.Head, atom.Header, atom.Hr, atom.Html, atom.Iframe, atom.Input, atom.Legend,
		atom.Li, atom.Main, atom.Menu, atom.Nav, atom.Object, atom.Ol, atom.Optgroup, atom.Option, atom.P, atom.Pre,
		atom.Section, atom.Select, atom.Summary, atom.Table, atom.Tbody, atom.Td, atom.Textarea,
		atom.Tfoot, atom.Th, atom.Thead, atom.Title, atom.Tr, atom.Ul, atom.Video, atom.Xmp, atom.Plaintext, atom.Listing:
		return true
	}
	return false
}

// isVoid reports whether an element has no content, and so no end.
func isVoid(tag atom.Atom) bool {
	switch tag {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta,
		atom.Param, atom.Source, atom.Track, atom.Wbr, atom.Frame:
		return true
	}
	return false
}

// endsItself reports whether an element ends where the next one of its name begins.
func endsItself(tag atom.Atom) bool {
	switch tag {
	case atom.P, atom.Li, atom.Td, atom.Th, atom.Tr, atom.Option, atom.Dd, atom.Dt:
		return true
	}
	return false
}
