package tokenize

import "golang.org/x/net/html/atom"

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
