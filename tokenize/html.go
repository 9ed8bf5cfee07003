package tokenize

import (
	"iter"
	"slices"

	"golang.org/x/net/html/atom"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
	"github.com/polya-classifier/polya/tokenize/internal/htmltext"
)

const (
	// maxValue is the longest value of an attribute that is looked at. No link and no
	// title is as long as that.
	maxValue = 1 << 20

	// maxKept is the largest buffer that a worker keeps for the next text.
	maxKept = 512 << 10
)

// A Page is what an HTML text says. The zero value is ready for Read. A Page is used
// again by another Read, and then allocates nothing for a text no larger than those
// before it. It is not safe for concurrent use.
type Page struct {
	// Visible is the text that a reader sees, with titles and the texts in place of
	// pictures, Invisible the text that is hidden, without scripts, styles and
	// comments. Line feeds part words where elements do. Both are valid until the
	// next Read.
	Visible, Invisible []byte

	// What is part of the visible text, and counted once more in fields of its own.
	title, headings, anchors marked

	links []byte // one behind the other
	ends  []int  // of each in links

	// While hidden is not 0, all text is invisible, until as many elements
	// of that name have ended as began. Counting one name takes no stack, so
	// that no nesting is too deep.
	hidden atom.Atom
	depth  int
	absent bool // the hidden element is not laid out either
	// skip is the element whose content is no text, such as a script.
	skip atom.Atom
}

func (p *Page) reset() {
	p.Visible, p.Invisible, p.links, p.ends = p.Visible[:0], p.Invisible[:0], p.links[:0], p.ends[:0]
	p.hidden, p.depth, p.absent, p.skip = 0, 0, false, 0
	p.title.reset()
	p.headings.reset()
	p.anchors.reset()
}

// Shrink lets go of the memory of a large text.
func (p *Page) Shrink() {
	for _, buffer := range []*[]byte{&p.Visible, &p.Invisible, &p.links, &p.title.text, &p.headings.text, &p.anchors.text} {
		if cap(*buffer) > maxKept {
			*buffer = nil
		}
	}
	if cap(p.ends) > maxKept/8 {
		p.ends = nil
	}
}

// Links goes over the links of the text, each without what lies behind the first KiB.
// The bytes are valid until the next Read.
func (p *Page) Links() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		start := 0
		for _, end := range p.ends {
			if !yield(p.links[start:end:end]) {
				return
			}
			start = end
		}
	}
}

// Read reads an HTML text. Any bytes are one.
func (p *Page) Read(html []byte) {
	p.reset()
	s := htmltext.NewScanner(html)
	for kind := s.Next(); kind != htmltext.End; kind = s.Next() {
		switch kind {
		case htmltext.Text:
			p.text(s.Token(), s.Mode())
		case htmltext.Start:
			p.startTag(&s)
		case htmltext.Close:
			p.endTag(tagNamed(s.Name()))
		}
	}
	p.title.end(p.Visible)
	p.headings.end(p.Visible)
	p.anchors.end(p.Visible)
}

func (w *worker) html(text []byte) {
	p := &w.page
	p.Read(text)
	room := MaxText
	for link := range p.Links() {
		if room -= len(link); room < 0 {
			w.limit(limitText)
			break
		}
		w.url(link)
	}
	w.analyze("", p.Visible)
	if w.version >= pageFields {
		w.marked(titleField, "limit:title", p.title.text)
		w.marked(headingField, "limit:heading", p.headings.text)
		w.marked(anchorField, "limit:anchor", p.anchors.text)
	}
	w.analyze("invisible", p.Invisible)
}

func (p *Page) link(url []byte) {
	p.links = append(p.links, cutURL(url)...)
	p.ends = append(p.ends, len(p.links))
}

// tagNamed returns the name of a tag or attribute, 0 if HTML does not know it.
func tagNamed(name []byte) atom.Atom {
	var lower [longestAtom]byte
	if len(name) > len(lower) {
		return 0
	}
	return atom.Lookup(ascii.AppendLower(lower[:0], name))
}

// longestAtom is no shorter than any name that matters here.
const longestAtom = 16

// here is where text goes: to the visible, to the invisible, or nowhere if it is nil.
func (p *Page) here() *[]byte {
	switch {
	case p.skip != 0:
		return nil
	case p.hidden != 0:
		return &p.Invisible
	}
	return &p.Visible
}

func (p *Page) text(raw []byte, mode htmltext.Mode) {
	if to := p.here(); to != nil {
		*to = htmltext.AppendText(*to, raw, mode)
	}
}

func (p *Page) caption(text []byte) {
	p.gap()
	if to := p.here(); to != nil {
		*to = append(*to, text...)
	}
	p.gap()
}

// gap parts the words before from the words behind.
func (p *Page) gap() {
	if p.hidden != 0 {
		p.Invisible = append(p.Invisible, '\n')
	} else {
		p.Visible = append(p.Visible, '\n')
	}
}

// startTag takes the tag that s has come to.
func (p *Page) startTag(s *htmltext.Scanner) {
	tag := tagNamed(s.Name())
	sight, links := seen, len(p.ends)
	if s.HasAttributes() {
		sight = p.attributes(s.Token(), tag)
	}
	if breaksLine(tag) && (sight != absent || p.hidden != 0) {
		p.gap()
	}
	p.mark(tag, len(p.ends) > links)
	switch {
	case isVoid(tag):
		return
	case tag == atom.Noscript || tag == atom.Noembed || tag == atom.Noframes:
		// Mail programs run no scripts, so this is what they show.
		s.HasTags()
	case tag == atom.Script || tag == atom.Style || tag == atom.Iframe || tag == atom.Template:
		if p.skip == 0 {
			p.skip = tag
		}
	}
	p.open(tag, sight)
}

// attributes takes those of a start tag, and says how much of the element they leave
// to see.
func (p *Page) attributes(raw []byte, tag atom.Atom) (s sight) {
	met := 0
	first := func(bit int) bool { // of two of a name the second does not count
		was := met
		met |= 1 << bit
		return met != was
	}
	r := htmltext.NewTag(raw)
	for key, value, ok := r.Next(); ok; key, value, ok = r.Next() {
		if len(value) > maxValue {
			continue
		}
		name := tagNamed(key)
		switch bit := slices.Index(telling[:], name); {
		case name == 0:
			if len(key) == len("background") && equalFold(key, "background") && first(len(telling)) {
				p.link(htmltext.Value(value))
			}
		case bit < 0 || !first(bit):
		case name == atom.Style:
			s = max(s, sightOf(htmltext.Value(value)))
		case name == atom.Hidden:
			s = absent
		case name == atom.Type:
			if tag == atom.Input && equalFold(value, "hidden") {
				s = absent
			}
		case name == atom.Alt || name == atom.Title:
			p.caption(htmltext.Value(value))
		default:
			p.link(htmltext.Value(value))
		}
	}
	return s
}

// telling are the attributes that hide a text, are one, or are links.
var telling = [...]atom.Atom{
	atom.Style, atom.Hidden, atom.Type, atom.Alt, atom.Title, atom.Href, atom.Src, atom.Action, atom.Poster, atom.Formaction,
}
