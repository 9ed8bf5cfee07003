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

// marked is the visible text in elements of one kind, each piece before a line feed.
type marked struct {
	text []byte
	open bool
	from int // the start of the open element in the visible text
}

func (m *marked) reset() { m.text, m.open = m.text[:0], false }

// begin ends the open element, if there is one, and opens the next.
func (m *marked) begin(visible []byte) {
	m.end(visible)
	m.open, m.from = true, len(visible)
}

func (m *marked) end(visible []byte) {
	if m.open && m.from < len(visible) {
		m.text = append(append(m.text, visible[m.from:]...), '\n')
	}
	m.open = false
}

// mark records the beginning of an element. Of several titles browsers show the first; a
// second link or heading ends the one before.
func (p *Page) mark(tag atom.Atom, linked bool) {
	switch tag {
	case atom.A:
		p.endAnchor()
		if linked {
			p.anchors.begin(p.Visible)
		}
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		p.headings.begin(p.Visible)
	case atom.Title:
		if len(p.title.text) == 0 && !p.title.open {
			p.title.begin(p.Visible)
		}
	}
}

// unmark records the end of an element.
func (p *Page) unmark(tag atom.Atom) {
	switch tag {
	case atom.A:
		p.endAnchor()
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		p.headings.end(p.Visible)
	case atom.Title:
		p.title.end(p.Visible)
	}
}

// marked counts the words of a marked text in a field.
func (w *worker) marked(field, over string, text []byte) {
	if len(text) == 0 {
		return
	}
	w.setField(field)
	w.within(MaxMarked, over, text)
}
