package tokenize

import (
	"slices"

	"golang.org/x/net/html/atom"

	"github.com/polya-classifier/polya/tokenize/internal/htmltext"
)

const (
	// maxValue is the longest value of an attribute that is looked at. No link and no
	// title is as long as that.
	maxValue = 1 << 20

	// maxKept is the largest buffer that a worker keeps for the next text.
	maxKept = 512 << 10
)

// A page gathers the text of one HTML text.
type page struct {
	visible   []byte
	invisible []byte

	// While hidden is not 0, all text is invisible, until as many elements
	// of that name have ended as began. Counting one name takes no stack, so
	// that no nesting is too deep.
	hidden atom.Atom
	depth  int
	absent bool // the hidden element is not laid out either
	// skip is the element whose content is no text, such as a script.
	skip atom.Atom
}

func (p *page) reset() {
	p.visible, p.invisible = p.visible[:0], p.invisible[:0]
	p.hidden, p.depth, p.absent, p.skip = 0, 0, false, 0
}

// shrink lets go of large buffers.
func (p *page) shrink() {
	if cap(p.visible) > maxKept {
		p.visible = nil
	}
	if cap(p.invisible) > maxKept {
		p.invisible = nil
	}
}

// html counts the terms of an HTML text and hands its links to link.
func (w *worker) html(text []byte, link func(url []byte)) {
	p := &w.page
	p.reset()
	s := htmltext.NewScanner(text)
	for kind := s.Next(); kind != htmltext.End; kind = s.Next() {
		switch kind {
		case htmltext.Text:
			p.text(s.Token(), s.Mode())
		case htmltext.Start:
			w.startTag(&s, link)
		case htmltext.Close:
			p.endTag(tagNamed(s.Name()))
		}
	}
	w.analyze("", p.visible)
	w.analyze("invisible", p.invisible)
}

// tagNamed returns the name of a tag or attribute, 0 if HTML does not know it.
func tagNamed(name []byte) atom.Atom {
	var lower [longestAtom]byte
	if len(name) > len(lower) {
		return 0
	}
	return atom.Lookup(appendLower(lower[:0], name))
}

// longestAtom is no shorter than any name that matters here.
const longestAtom = 16

// here is where text goes: to the visible, to the invisible, or nowhere if it is nil.
func (p *page) here() *[]byte {
	switch {
	case p.skip != 0:
		return nil
	case p.hidden != 0:
		return &p.invisible
	}
	return &p.visible
}

// text takes a text of the page.
func (p *page) text(raw []byte, mode htmltext.Mode) {
	if to := p.here(); to != nil {
		*to = htmltext.AppendText(*to, raw, mode)
	}
}

// caption takes a text that an attribute has.
func (p *page) caption(text []byte) {
	p.gap()
	if to := p.here(); to != nil {
		*to = append(*to, text...)
	}
	p.gap()
}

// gap parts the words before from the words behind.
func (p *page) gap() {
	if p.hidden != 0 {
		p.invisible = append(p.invisible, '\n')
	} else {
		p.visible = append(p.visible, '\n')
	}
}

// startTag takes the tag that s has come to.
func (w *worker) startTag(s *htmltext.Scanner, link func(url []byte)) {
	p := &w.page
	tag := tagNamed(s.Name())
	sight := seen
	if s.HasAttributes() {
		sight = w.attributes(s.Token(), tag, link)
	}
	if breaksLine(tag) && (sight != absent || p.hidden != 0) {
		p.gap()
	}
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
func (w *worker) attributes(raw []byte, tag atom.Atom, link func(url []byte)) (s sight) {
	p := &w.page
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
				link(htmltext.Value(value))
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
			link(htmltext.Value(value))
		}
	}
	return s
}

// telling are the attributes that hide a text, are one, or are links.
var telling = [...]atom.Atom{
	atom.Style, atom.Hidden, atom.Type, atom.Alt, atom.Title, atom.Href, atom.Src, atom.Action, atom.Poster, atom.Formaction,
}

func appendLower(dst, b []byte) []byte {
	for _, c := range b {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}
