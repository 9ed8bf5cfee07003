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
	kind         elementKind
	sight        sight // of it and all in it
	hidden       bool  // its text cannot be seen
	veiled, tiny bool  // visibility: hidden; an illegible font
	turned       bool  // all its letters are shown from right to left, if not in one that is
	from         int   // where the text of a turned element begins
	text, ground int32 // colours
}

// outermost is the page around all elements: black on white.
var outermost = element{text: 0x000000, ground: 0xffffff}

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

func (p *Page) top() *element { return &p.open[len(p.open)-1] }

// begin opens an element that has the attributes a.
func (p *Page) begin(tag atom.Atom, kind elementKind, a *attributes) {
	p.imply(tag, kind)
	if len(p.open) > maxOpen && kind&void == 0 {
		p.pop()
	}
	e := *p.top()
	if e.hidden && (kind&cell == 0 || tag == atom.Table) && tag != atom.Caption {
		e = *p.outside()
		p.hide(e.hidden)
	}
	e.tag, e.kind = tag, kind
	if tag == atom.Table && !p.standard { // as all browsers read pages without a document type
		e.text, e.tiny = p.open[min(len(p.open)-1, p.body)].text, false
		e.settle()
	}
	if p.sheet.Any() {
		p.path = append(p.path, a.Element)
		p.sheet.Apply(&a.style, p.path)
		a.styled = true
	}
	if a.styled {
		e.take(&a.style)
		e.settle()
	}
	if e.kind&breaks != 0 && (e.sight != absent || p.hidden) {
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

func (p *Page) pop() {
	e := *p.top()
	p.open = p.open[:len(p.open)-1]
	if to := p.here(); e.turned && !p.top().turned && to != nil && e.from < len(*to) {
		reverseLines((*to)[e.from:])
		p.sign("disguise:order")
	}
	if len(p.path) > 0 {
		p.path = p.path[:len(p.path)-1]
	}
	if e.kind&breaks != 0 && !e.hidden {
		p.gap()
	}
	p.hide(p.top().hidden)
	if e.kind&breaks != 0 && e.hidden && (e.sight != absent || p.hidden) {
		p.gap()
	}
}

func (p *Page) popTo(at int) {
	for len(p.open) > at {
		p.pop()
	}
}

// outside returns the element in which text is shown that comes next: what is within a table
// but in no cell of it is shown before it.
func (p *Page) outside() *element {
	i := len(p.open) - 1
	for p.open[i].kind&cell != 0 && p.open[i].kind&(encloses|endsItself) != encloses|endsItself {
		i--
	}
	return &p.open[i]
}

// imply closes what the begin of an element ends: <p> ends an open <p>. Within what is hidden
// that is as in browsers; elsewhere it parts few words.
func (p *Page) imply(tag atom.Atom, kind elementKind) {
	if p.hidden && (kind&(breaks|void) == breaks || tag == atom.Hr) {
		p.end(atom.P, kindOfElement(atom.P))
	}
	if kind&endsItself != 0 || p.hidden && tag == atom.A {
		p.end(tag, kind)
	}
	if kind&cell != 0 && tag != atom.Table || tag == atom.Caption { // what stands between rows and cells ends
		i := len(p.open) - 1
		for i >= p.floor && p.open[i].kind&cell == 0 {
			i--
		}
		if i >= p.floor && p.open[i].kind&(encloses|endsItself) != encloses|endsItself {
			p.popTo(i + 1)
		}
	}
}

// end closes the innermost element of a name, unless another encloses it.
func (p *Page) end(tag atom.Atom, kind elementKind) {
	for i := len(p.open) - 1; i >= p.floor; i-- {
		switch other := &p.open[i]; {
		case other.tag == tag:
			p.popTo(i)
			return
		case other.tag == atom.Table && tag != atom.Tr && kind&(cell|encloses) == cell:
			p.popTo(i + 1)
			return
		case other.tag == atom.Table || other.kind&encloses != 0 && other.kind&kind&cell == 0:
			return
		}
	}
}

func (p *Page) endTag(tag atom.Atom) {
	if p.skip == tag {
		p.skip = 0
	}
	p.unmark(markOf(tag))
	if tag == atom.P || tag == atom.Br || tag == atom.Body || tag == atom.Html {
		p.gap() // also without a begin
	}
	if tag == atom.Body || tag == atom.Html {
		return // what follows is in them too
	}
	kind := kindOfElement(tag)
	for i := len(p.open) - 1; i >= p.floor; i-- {
		switch other := &p.open[i]; {
		case other.tag == tag:
			p.popTo(i)
			return
		case other.kind&encloses != 0 && kind&breaks == 0, other.kind&cell != 0 && kind&cell == 0:
			return
		case other.kind&breaks != 0 && kind&(breaks|format) == 0:
			return // browsers ignore </span> in a <div> of it
		}
	}
}

// madeUp marks the hash of a name that is no atom.
const madeUp = 1 << 31

var madeUpSeed = maphash.MakeSeed()

// attributes are those of a tag that matter.
type attributes struct {
	style.Element
	typ, value []byte
	style      style.Style
	styled     bool
	captions   [][]byte // texts shown for the element
	inner      []byte   // a page or a link data: to be shown in it
}

// set gives an element the value of an attribute that is not in its style.
func (a *attributes) set(of style.Property, is int32) {
	a.style.Set(of, is)
	a.styled = true
}

// elementKind is what matters of an element by its name, a bit each.
type elementKind uint8

const (
	breaks     elementKind = 1 << iota // it ends a line, and so a word
	void                               // it has no content, and so no end
	endsItself                         // it ends where the next one of its name begins
	encloses                           // the begin of an element in it ends none around it
	cell                               // it is a table, or a row or a cell of one
	format                             // browsers end it wherever its end tag is
)

// kindOfElement returns the kind of an element. One with another name, known or made up, can be
// inside a word.
func kindOfElement(tag atom.Atom) elementKind {
	switch tag {
	case atom.P, atom.Li, atom.Option, atom.Dd, atom.Dt:
		return breaks | endsItself
	case atom.Table:
		return breaks | encloses | cell
	case atom.Tr, atom.Tbody, atom.Tfoot, atom.Thead:
		return breaks | endsItself | cell
	case atom.Td, atom.Th:
		return breaks | endsItself | encloses | cell
	case atom.Caption, atom.Button, atom.Object, atom.Ul, atom.Ol, atom.Dl, atom.Select, atom.Template:
		return breaks | encloses
	case atom.Br, atom.Hr, atom.Input, atom.Frame:
		return breaks | void
	case atom.Area, atom.Base, atom.Col, atom.Embed, atom.Img, atom.Link, atom.Meta, atom.Param, atom.Source, atom.Track, atom.Wbr:
		return void
	case atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S, atom.Small, atom.Strike, atom.Strong, atom.Tt, atom.U:
		return format
	case atom.Address, atom.Article, atom.Aside, atom.Audio, atom.Blockquote, atom.Body, atom.Center, atom.Datalist, atom.Details, atom.Dialog, atom.Dir,
		atom.Div, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.Frameset, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6,
		atom.Head, atom.Header, atom.Html, atom.Iframe, atom.Legend, atom.Main, atom.Menu, atom.Nav, atom.Optgroup, atom.Pre, atom.Section, atom.Summary,
		atom.Textarea, atom.Title, atom.Video, atom.Xmp, atom.Plaintext, atom.Listing:
		return breaks
	}
	return 0
}
