package tokenize

import (
	"bytes"
	"encoding/base64"
	"hash/maphash"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
	"github.com/polya-classifier/polya/tokenize/internal/htmltext"
	"github.com/polya-classifier/polya/tokenize/internal/style"
	"github.com/polya-classifier/polya/tokenize/internal/window"
)

// tagNamed returns the name of a tag, or a hash if HTML does not know it.
func tagNamed(name []byte) atom.Atom {
	var buf [longestAtom]byte
	lower := ascii.AppendLower(buf[:0], name)
	if len(name) <= longestAtom {
		if tag := atom.Lookup(lower); tag != 0 {
			return tag
		}
	}
	return madeUp | atom.Atom(maphash.Bytes(madeUpSeed, lower))
}

// longestAtom is at least the length of every name that matters here.
const longestAtom = 16

// startTag handles the current start tag of s.
func (p *Page) startTag(s *htmltext.Scanner, tag atom.Atom) {
	kind := kindOfElement(tag)
	a := &p.tag
	a.ID, a.Class, a.typ, a.value, a.inner, a.captions = nil, nil, nil, nil, nil, a.captions[:0]
	if a.styled {
		a.style, a.styled = style.Style{}, false
	}
	links := len(p.Links)
	p.attributes(s, tag, a)
	if p.sheet.Any() {
		if a.Name, a.Tag = tag.String(), s.Token; tag&madeUp != 0 {
			a.Name = string(ascii.AppendLower(nil, s.Name))
		}
	}
	if tag == atom.Template || tag == atom.Datalist {
		a.style.Set(style.Display, 1)
		a.styled = true
	}
	p.begin(tag, kind, a)
	if len(a.style.Content) > 0 {
		p.sign("disguise:content") // text in a style sheet
		p.write(a.style.Content)
	}
	for _, caption := range a.captions {
		p.caption(caption)
	}
	p.mark(tag, len(p.Links) > links)
	if inner := a.inner; inner != nil {
		p.within(inner)
	}
	switch {
	case kind&void != 0:
		p.pop()
	case tag == atom.Noscript || tag == atom.Noembed || tag == atom.Noframes:
		// Mail programs run no scripts, so they show this.
		s.HasTags()
	case tag == atom.Script || tag == atom.Style || tag == atom.Iframe:
		if p.skip == 0 {
			p.skip = tag
		}
	}
}

// attributes handles the attributes of a start tag.
func (p *Page) attributes(s *htmltext.Scanner, tag atom.Atom, a *attributes) {
	var room [8][]byte
	met := room[:0]
	r := htmltext.NewTag(s.Token)
	for key, v, ok := r.Next(); ok; key, v, ok = r.Next() {
		var buf [longestAtom]byte
		if len(key) > len(buf) || len(v) > maxValue {
			continue
		}
		name := ascii.AppendLower(buf[:0], key)
		switch string(name) {
		case "text":
			key, name = colourName, colourName
		case "type", "hidden", "style", "class", "id", "bgcolor", "color", "dir", "value", "srcdoc", "alt", "title", "placeholder", "label",
			"background", "href", "src", "action", "poster", "formaction", "data":
		default:
			continue
		}
		if slices.ContainsFunc(met, func(other []byte) bool { return bytes.EqualFold(other, key) }) {
			continue // a repeated attribute does not count
		}
		met = append(met, key)
		p.attribute(tag, a, name, htmltext.Value(v))
	}
	if tag == atom.Input {
		switch strings.ToLower(string(a.typ)) {
		case "hidden":
			a.set(style.Display, 1)
		case "submit", "button", "reset":
			a.captions = append(a.captions, a.value)
		}
	}
}

// colourName is the name of the attribute that text is one with.
var colourName = []byte("color")

// attribute handles an attribute of a start tag with this value.
func (p *Page) attribute(tag atom.Atom, a *attributes, name, v []byte) {
	switch string(name) {
	case "type":
		a.typ = v
	case "value":
		a.value = v
	case "hidden":
		a.set(style.Display, 1)
	case "style":
		a.style.Attribute(v)
		a.styled = true
	case "class":
		a.Class = v
	case "id":
		a.ID = v
	case "bgcolor":
		a.set(style.Background, style.Colour(v))
	case "color":
		a.set(style.Color, style.Colour(v))
	case "dir":
		if tag == atom.Bdo {
			a.set(style.RightToLeft, style.One(bytes.EqualFold(v, []byte("rtl"))))
			a.set(style.Override, 1)
		}
	case "srcdoc":
		a.inner = v
	case "alt", "title", "placeholder", "label":
		a.captions = append(a.captions, v)
	default: // links
		if len(v) > len("data:") && ascii.HasPrefix(v, "data:") {
			switch tag {
			case atom.Iframe, atom.Frame, atom.Embed, atom.Object, atom.Img:
				a.inner = v
			}
			return
		}
		if string(name) == "background" {
			a.set(style.Background, style.Unknown)
		} else if string(name) == "href" && tag == atom.A && !a.styled {
			a.set(style.Color, linkText)
		}
		p.Links = append(p.Links, window.Cut(v, maxURL))
	}
}

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
