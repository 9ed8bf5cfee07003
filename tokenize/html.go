package tokenize

import (
	"iter"
	"slices"

	"golang.org/x/net/html/atom"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
	"github.com/polya-classifier/polya/tokenize/internal/htmltext"
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

	// Parts of the visible text that are counted once more in fields of their own.
	title, headings, anchors marked

	links []byte // concatenated
	ends  []int  // of each in links

	// While hidden is not 0 all text is invisible, until as many elements of that name have
	// ended as begun. Counting one name needs no stack, so nesting can have any depth.
	hidden atom.Atom
	depth  int
	absent bool // the hidden element is not laid out either
	// skip is an element whose content is not text, such as a script.
	skip atom.Atom
}

func (p *Page) reset() {
	p.Visible, p.Invisible, p.links, p.ends = p.Visible[:0], p.Invisible[:0], p.links[:0], p.ends[:0]
	p.hidden, p.depth, p.absent, p.skip = 0, 0, false, 0
	p.title.reset()
	p.headings.reset()
	p.anchors.reset()
}

// Shrink releases the memory of a large text.
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

// Links iterates over the links of the text, each cut to its first KiB. The bytes are
// valid until the next Read.
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

// Read reads an HTML text. Any bytes are valid.
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
	w.marked(titleField, "limit:title", p.title.text)
	w.marked(headingField, "limit:heading", p.headings.text)
	w.marked(anchorField, "limit:anchor", p.anchors.text)
	w.analyze("invisible", p.Invisible)
	p.Shrink()
}

func (p *Page) link(url []byte) {
	p.links = append(p.links, cutURL(url)...)
	p.ends = append(p.ends, len(p.links))
}

// tagNamed returns the name of a tag, 0 if HTML does not know it.
func tagNamed(name []byte) atom.Atom {
	var lower [longestAtom]byte
	if len(name) > len(lower) {
		return 0
	}
	return atom.Lookup(ascii.AppendLower(lower[:0], name))
}

// longestAtom is at least the length of every name that matters here.
const longestAtom = 16

// here returns where text goes: to the visible or the invisible text, or nowhere if nil.
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

// gap separates the words before from the words after.
func (p *Page) gap() {
	if p.hidden != 0 {
		p.Invisible = append(p.Invisible, '\n')
	} else {
		p.Visible = append(p.Visible, '\n')
	}
}

// startTag handles the current start tag of s.
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
		// Mail programs run no scripts, so they show this.
		s.HasTags()
	case tag == atom.Script || tag == atom.Style || tag == atom.Iframe || tag == atom.Template:
		if p.skip == 0 {
			p.skip = tag
		}
	}
	p.open(tag, sight)
}

// attributes handles the attributes of a start tag, and returns the visibility they give.
func (p *Page) attributes(raw []byte, tag atom.Atom) (s sight) {
	met := 0
	first := func(bit int) bool { // a repeated attribute does not count
		was := met
		met |= 1 << bit
		return met != was
	}
	r := htmltext.NewTag(raw)
	for key, value, ok := r.Next(); ok; key, value, ok = r.Next() {
		if len(value) > maxValue {
			continue
		}
		bit := slices.IndexFunc(telling[:], func(name string) bool { return equalFold(key, name) })
		if bit < 0 || !first(bit) {
			continue
		}
		switch telling[bit] {
		case "style":
			s = max(s, sightOf(htmltext.Value(value)))
		case "hidden":
			s = absent
		case "type":
			if tag == atom.Input && equalFold(value, "hidden") {
				s = absent
			}
		case "alt", "title":
			p.caption(htmltext.Value(value))
		default:
			p.link(htmltext.Value(value))
		}
	}
	return s
}

// telling are the attributes that hide text, contain text, or are links.
var telling = [...]string{"style", "hidden", "type", "alt", "title", "href", "src", "action", "background", "poster", "formaction"}
