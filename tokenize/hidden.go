package tokenize

import (
	"hash/maphash"

	"golang.org/x/net/html/atom"

	"github.com/polya-classifier/polya/tokenize/internal/style"
)

// The visibility of an element.
type sight uint8

const (
	seen   sight = iota
	unseen       // invisible but laid out, so that a block separates the words around it
	absent       // it is not laid out: "y<div hidden></div>our" reads "your"
)

// maxOpen is the number of elements that are open at once. One more takes the place of the
// last, as in browsers, which have room for some more.
const maxOpen = 256

// element is an open element, as far as it decides how its text is shown.
type element struct {
	tag          atom.Atom // with madeUp a hash of a name that HTML does not know
	sight        sight     // of it and all in it
	breaks       bool      // it ends a line
	hidden       bool      // its text cannot be seen
	veiled, tiny bool      // visibility: hidden; an illegible font
	turned       bool      // all its letters are shown from right to left, if not in one that is
	from         int       // where the text of a turned element begins
	text, ground int32     // colours
}

// outermost is the page around all elements: black on white.
var outermost = element{text: 0x000000, ground: 0xffffff}

// linkText is the colour of a link.
const linkText = 0x0000ee

// settle says whether its text cannot be seen.
func (e *element) settle() {
	e.hidden = e.sight != seen || e.veiled || e.tiny || style.Alike(e.text, e.ground)
}

// take gives an element, which has the values of the one around it, its own style.
func (e *element) take(s *style.Style) {
	e.veiled = s.Get(style.Visibility, style.One(e.veiled)) == 1
	e.tiny = s.Get(style.Size, style.One(e.tiny)) == 1
	e.text = s.Get(style.Color, e.text)
	if ground := s.Get(style.Background, style.Transparent); ground != style.Transparent {
		e.ground = ground
	}
	e.turned = e.turned || s.Is(style.RightToLeft) && s.Is(style.Override)
	switch {
	case e.tag == atom.Body || e.tag == atom.Html: // mail programs replace them
	case s.Is(style.Display), s.Is(style.Positioned) && s.Is(style.Moved):
		e.sight = absent
	case s.Is(style.Opacity), s.Is(style.Outside), s.Is(style.Squeezed) && s.Is(style.Clipped):
		e.sight = max(e.sight, unseen)
	}
}

// top returns the innermost open element.
func (p *Page) top() *element { return &p.open[len(p.open)-1] }

// begin opens an element that has the attributes a.
func (p *Page) begin(tag atom.Atom, a *attributes) {
	p.imply(tag)
	if len(p.open) > maxOpen {
		p.pop()
	}
	e := *p.top()
	e.tag, e.breaks = tag, breaksLine(tag)
	if tag == atom.Table && !p.standard { // as all browsers read pages without a document type
		e.text, e.tiny = p.open[min(len(p.open)-1, p.body)].text, false
		e.settle()
	}
	if p.sheet.Any() {
		p.path = append(p.path, style.Element{Name: a.name, ID: a.id, Class: a.class, Tag: a.tag})
		p.sheet.Apply(&a.style, p.path)
		a.styled = true
	}
	if a.styled {
		e.take(&a.style)
		e.settle()
	}
	if e.breaks && (e.sight != absent || p.hidden) {
		p.gap()
	}
	if tag == atom.Body && p.body == 0 {
		p.body = len(p.open)
	}
	p.open = append(p.open, e)
	p.hide(e.hidden)
	if to := p.here(); e.turned && to != nil {
		p.top().from = len(*to)
	}
}

// hide says whether the text from here on is hidden. Hidden text stands on lines of its own;
// the visible text continues after it.
func (p *Page) hide(hidden bool) {
	if hidden != p.hidden {
		p.Invisible = append(p.Invisible, '\n')
	}
	p.hidden = hidden
}

// pop closes the innermost element.
func (p *Page) pop() {
	e := *p.top()
	p.open = p.open[:len(p.open)-1]
	if to := p.here(); e.turned && !p.top().turned && to != nil && e.from < len(*to) {
		reverseLines((*to)[e.from:])
		p.signs |= otherOrder
	}
	if len(p.path) > 0 {
		p.path = p.path[:len(p.path)-1]
	}
	p.hide(p.top().hidden)
	if e.breaks && (e.sight != absent || p.hidden) {
		p.gap()
	}
}

// popTo closes the elements from an index on.
func (p *Page) popTo(at int) {
	for len(p.open) > at {
		p.pop()
	}
}

// imply closes what the begin of an element ends: <p> ends an open <p>.
func (p *Page) imply(tag atom.Atom) {
	if p.hidden && breaksLine(tag) && !endsItself(tag) && !isVoid(tag) {
		tag = atom.P
	} else if !endsItself(tag) {
		return
	}
	for i := len(p.open) - 1; i >= p.floor; i-- {
		switch other := p.open[i].tag; {
		case other == tag:
			p.popTo(i)
			return
		case other == atom.Table || encloses(other) && !(isCell(tag) && isCell(other)):
			return
		}
	}
}

// encloses reports whether the begin of an element ends none around this one.
func encloses(tag atom.Atom) bool {
	switch tag {
	case atom.Table, atom.Td, atom.Th, atom.Caption, atom.Button, atom.Object, atom.Ul, atom.Ol, atom.Dl, atom.Select, atom.Template:
		return true
	}
	return false
}

func isCell(tag atom.Atom) bool {
	return tag == atom.Td || tag == atom.Th || tag == atom.Tr || tag == atom.Table
}

func (p *Page) endTag(tag atom.Atom) {
	if p.skip == tag {
		p.skip = 0
	}
	p.unmark(tag)
	if tag == atom.P || tag == atom.Br || tag == atom.Body || tag == atom.Html {
		p.gap() // also without a begin
	}
	if tag == atom.Body || tag == atom.Html {
		return // what follows is in them too
	}
	breaks := breaksLine(tag)
	for i := len(p.open) - 1; i >= p.floor; i-- {
		switch other := p.open[i].tag; {
		case other == tag:
			p.popTo(i)
			return
		case encloses(other) && !breaks, isCell(other) && !isCell(tag):
			return
		case p.open[i].breaks && !breaks && !isFormat(tag):
			return // browsers ignore </span> in a <div> of it
		}
	}
}

// isFormat recognises the elements that browsers end wherever their end tag is.
func isFormat(tag atom.Atom) bool {
	switch tag {
	case atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S, atom.Small, atom.Strike,
		atom.Strong, atom.Tt, atom.U:
		return true
	}
	return false
}

// madeUp marks the hash of a name that is no atom.
const madeUp = 1 << 31

var madeUpSeed = maphash.MakeSeed()

// attributes are those of a tag that matter.
type attributes struct {
	name      string
	tag       []byte // as written
	id, class []byte
	style     style.Style
	styled    bool
	captions  [][]byte // texts shown for the element
	inner     []byte   // a page or a link data: to be shown in it
}

// breaksLine reports whether an element ends a line, and so a word. Any other tag, known
// or made up, can be inside a word.
func breaksLine(tag atom.Atom) bool {
	switch tag {
	case atom.Address, atom.Article, atom.Aside, atom.Audio, atom.Blockquote, atom.Body, atom.Br, atom.Button,
		atom.Caption, atom.Center, atom.Datalist, atom.Dd, atom.Details, atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset,
		atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.Frame, atom.Frameset, atom.H1, atom.H2, atom.H3,
		atom.H4, atom.H5, atom.H6, atom.Head, atom.Header, atom.Hr, atom.Html, atom.Iframe, atom.Input, atom.Legend,
		atom.Li, atom.Main, atom.Menu, atom.Nav, atom.Object, atom.Ol, atom.Optgroup, atom.Option, atom.P, atom.Pre,
		atom.Section, atom.Select, atom.Summary, atom.Table, atom.Tbody, atom.Td, atom.Template, atom.Textarea,
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
