package tokenize

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
	"github.com/polya-classifier/polya/tokenize/internal/htmltext"
	"github.com/polya-classifier/polya/tokenize/internal/style"
)

const (
	// maxValue is the longest value of an attribute that is read. No link and no title is
	// that long.
	maxValue = 1 << 20

	// maxKept is the largest buffer that a worker keeps for the next text.
	maxKept = 512 << 10
)

// A Page is the content of an HTML text. The zero value is ready for Read. A Page can be
// read into again, and then allocates nothing for a text no larger than earlier ones. It
// is not safe for concurrent use.
type Page struct {
	// Visible is the text that a reader sees, with titles and alternative texts of pictures;
	// Invisible is the hidden text, without scripts, styles and comments. Line feeds
	// separate words where elements do. Both are valid until the next Read.
	Visible, Invisible []byte

	// Links are the links of the text, each cut to its first KiB. They are valid until the next
	// Read, or until the text is changed.
	Links [][]byte

	// Signs are terms for what the page does that readers do not see. They are valid until the next
	// Read.
	Signs []string

	// Parts of the visible text that are counted once more in fields of their own.
	marked [unmarked]marked

	tag      attributes      // the one being read
	open     []element       // from the outermost on
	path     []style.Element // the same, if there are style sheets
	inner    int             // depth of the page being read
	floor    int             // elements below are not of the page being read, which is within another
	body     int             // index of it in open
	standard bool            // the page has the document type of HTML 5
	hidden   bool            // text is invisible here
	sheet    style.Sheet
	sheets   bool // they were read
	// skip is an element whose content is not text, such as a script.
	skip atom.Atom
}

func (p *Page) reset() {
	p.Visible, p.Invisible, p.Links = p.Visible[:0], p.Invisible[:0], p.Links[:0]
	p.open, p.path, p.floor, p.inner = append(p.open[:0], outermost), p.path[:0], 1, 0
	p.hidden, p.skip, p.Signs = false, 0, p.Signs[:0]
	p.standard, p.body = false, 0
	for i := range p.marked {
		p.marked[i].text, p.marked[i].open = p.marked[i].text[:0], false
	}
}

// Shrink releases the memory of a large text, and the Links. It ends the pages of a message, which have a limit together.
func (p *Page) Shrink() {
	p.sheet.Tests = 0
	for _, buffer := range []*[]byte{&p.Visible, &p.Invisible, &p.marked[title].text, &p.marked[heading].text, &p.marked[anchor].text} {
		if cap(*buffer) > maxKept {
			*buffer = nil
		}
	}
	clear(p.Links[:cap(p.Links)])
	if p.Links = p.Links[:0]; cap(p.Links) > maxKept/32 {
		p.Links = nil
	}
}

// Read reads an HTML text. Any bytes are valid.
func (p *Page) Read(html []byte) {
	p.reset()
	p.sheet.Reset()
	p.sheets = false
	p.read(html)
	for kind := range p.marked {
		p.unmark(kind)
	}
	if p.sheet.Full() {
		p.sign("limit:style")
	}
}

// read reads an HTML text, the page or one shown in it.
func (p *Page) read(html []byte) {
	s := htmltext.NewScanner(html)
	for kind := s.Next(); kind != htmltext.End; kind = s.Next() {
		switch kind {
		case htmltext.Text:
			to := p.here()
			if to == &p.Invisible && !p.outside().hidden && len(bytes.TrimSpace(s.Token)) > 0 {
				to = &p.Visible
			}
			if to != nil {
				*to = s.AppendText(*to)
			}
		case htmltext.Start:
			tag := tagNamed(s.Name)
			if tag == atom.Style && !p.sheets && p.floor == 1 {
				if p.sheets = true; p.readSheets(s) {
					p.reset()
					s = htmltext.NewScanner(html) // sheets count for what precedes them too
					continue
				}
			}
			p.startTag(&s, tag)
		case htmltext.Close:
			p.endTag(tagNamed(s.Name))
		case htmltext.Comment:
			p.standard = p.standard || ascii.HasPrefix(s.Token, "<!doctype html>")
		}
	}
}

// readSheets reads the style sheets of a page, of which s has read the first start tag, and
// reports whether they matter.
func (p *Page) readSheets(s htmltext.Scanner) bool {
	in, sure := false, false
	for kind := htmltext.Start; kind != htmltext.End; kind = s.Next() {
		if kind == htmltext.Text && in {
			p.sheet.Add(s.Token, sure)
			if !hasSheet(s.Rest()) {
				break
			}
		}
		in = false
		if kind == htmltext.Start && tagNamed(s.Name) == atom.Style {
			typ, _ := htmltext.Attribute(s.Token, "type")
			media, _ := htmltext.Attribute(s.Token, "media")
			in, sure = style.Screen(strings.ToLower(string(media)))
			in = in && (len(typ) == 0 || bytes.EqualFold(typ, []byte("text/css")))
		}
	}
	return p.sheet.Any()
}

// hasSheet reports whether a page may have a style sheet.
func hasSheet(html []byte) bool {
	for {
		at := bytes.IndexByte(html, '<')
		if at < 0 {
			return false
		}
		if html = html[at+1:]; ascii.HasPrefix(html, "style") {
			return true
		}
	}
}

// sign notes a term once.
func (p *Page) sign(term string) {
	if !slices.Contains(p.Signs, term) {
		p.Signs = append(p.Signs, term)
	}
}

func (w *worker) html(text []byte) {
	p := &w.page
	p.Read(text)
	room := MaxText
	for _, link := range p.Links {
		if room -= len(link); room < 0 {
			w.bag.Add([]byte(limitText))
			break
		}
		w.url(link)
	}
	w.analyze("", p.Visible)
	for kind, field := range markedFields {
		if text := p.marked[kind].text; len(text) > 0 {
			w.setField(field.name)
			w.within(MaxMarked, field.over, text)
		}
	}
	w.analyze("invisible", p.Invisible)
	for _, sign := range p.Signs {
		w.bag.Add([]byte(sign))
	}
	p.Shrink()
}

// here returns where text goes: to the visible or the invisible text, or nowhere if nil.
func (p *Page) here() *[]byte {
	switch {
	case p.skip != 0:
		return nil
	case p.hidden:
		return &p.Invisible
	}
	return &p.Visible
}

func (p *Page) caption(text []byte) {
	p.gap()
	p.write(text)
	p.gap()
}

func (p *Page) write(text []byte) {
	if to := p.here(); to != nil {
		*to = append(*to, text...)
	}
}

// gap separates the words before from the words after.
func (p *Page) gap() {
	if p.hidden {
		p.Invisible = append(p.Invisible, '\n')
	} else {
		p.Visible = append(p.Visible, '\n')
	}
}

// MaxMarked is the number of bytes whose words are counted in a field of their own, for each
// of the title, the headings and the texts of links of a page: the first and the last half
// of that. All of them are words of the visible text too. Beyond it: limit:title, limit:heading,
// limit:anchor.
const MaxMarked = 64 << 10

// Fields of pages begin with a capital, which no field of mail does, so that header fields
// of a message, such as "Title:", cannot collide.
const (
	titleField   = "Title"
	headingField = "Heading"
	anchorField  = "Anchor"
)

// The kinds of elements whose text is marked.
const (
	title = iota
	heading
	anchor
	unmarked
)

// markedFields are the fields of marked texts, and the terms of those beyond the limit.
var markedFields = [unmarked]struct{ name, over string }{{titleField, "limit:title"}, {headingField, "limit:heading"}, {anchorField, "limit:anchor"}}

func markOf(tag atom.Atom) int {
	switch tag {
	case atom.A:
		return anchor
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return heading
	case atom.Title:
		return title
	}
	return unmarked
}

// marked is the visible text in elements of one kind, each piece before a line feed.
type marked struct {
	text []byte
	open bool
	from int // the start of the open element in the visible text
}

// mark records the beginning of an element. Of several titles browsers show the first; a
// second link or heading ends the one before.
func (p *Page) mark(tag atom.Atom, linked bool) {
	kind := markOf(tag)
	if kind == unmarked || kind == title && (len(p.marked[title].text) > 0 || p.marked[title].open) {
		return
	}
	p.unmark(kind)
	if m := &p.marked[kind]; kind != anchor || linked {
		m.open, m.from = true, len(p.Visible)
	}
}

// unmark ends the open element of a kind, if there is one.
func (p *Page) unmark(kind int) {
	if kind == unmarked {
		return
	}
	m := &p.marked[kind]
	if m.open && m.from < len(p.Visible) {
		text := p.Visible[m.from:]
		if kind == anchor {
			p.leads(text)
		}
		m.text = append(append(m.text, text...), '\n')
	}
	m.open = false
}
