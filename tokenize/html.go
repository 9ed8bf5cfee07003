package tokenize

import (
	"hash/maphash"
	"iter"
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

	// Parts of the visible text that are counted once more in fields of their own.
	title, headings, anchors marked

	links []byte // concatenated
	ends  []int  // of each in links

	open   []element       // from the outermost on
	path   []style.Element // the same, if there are style sheets
	inner  int             // depth of the page being read
	floor  int             // elements below are not of the page being read, which is within another
	hidden bool            // text is invisible here
	sheet  style.Sheet
	sheets bool // they were read
	signs  uint8
	// skip is an element whose content is not text, such as a script.
	skip atom.Atom
}

func (p *Page) reset() {
	p.Visible, p.Invisible, p.links, p.ends = p.Visible[:0], p.Invisible[:0], p.links[:0], p.ends[:0]
	p.open, p.path, p.floor, p.inner = append(p.open[:0], outermost), p.path[:0], 1, 0
	p.hidden, p.skip, p.signs = false, 0, 0
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
	p.sheet.Reset()
	p.sheets = false
	p.read(html)
	p.title.end(p.Visible)
	p.headings.end(p.Visible)
	p.endAnchor()
	if p.sheet.Full() {
		p.signs |= sheetLimit
	}
}

// read reads an HTML text, the page or one shown in it.
func (p *Page) read(html []byte) {
	s := htmltext.NewScanner(html)
	for kind := s.Next(); kind != htmltext.End; kind = s.Next() {
		switch kind {
		case htmltext.Text:
			p.text(s.Token(), s.Mode())
		case htmltext.Start:
			tag := tagNamed(s.Name())
			if tag == atom.Style && !p.sheets && p.floor == 1 {
				if p.sheets = true; p.readSheets(html) {
					p.reset()
					s = htmltext.NewScanner(html) // sheets count for what precedes them too
					continue
				}
			}
			p.startTag(&s, tag)
		case htmltext.Close:
			p.endTag(tagNamed(s.Name()))
		}
	}
}

// readSheets reads the style sheets of a page, and reports whether they matter.
func (p *Page) readSheets(html []byte) bool {
	s, of := htmltext.NewScanner(html), atom.Atom(0)
	for kind := s.Next(); kind != htmltext.End; kind = s.Next() {
		switch {
		case kind == htmltext.Text && of == atom.Style:
			p.sheet.Add(s.Token())
		case kind == htmltext.Start:
			of = tagNamed(s.Name())
			if media, _ := htmltext.Attribute(s.Token(), "media"); of == atom.Style && len(media) > 0 && !style.Screen(strings.ToLower(string(media))) {
				of = 0
			}
			continue
		}
		of = 0
	}
	return p.sheet.Any()
}

// Signs iterates over terms for what a page does that readers do not see.
func (p *Page) Signs() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i, sign := range signs {
			if p.signs&(1<<i) != 0 && !yield([]byte(sign)) {
				return
			}
		}
	}
}

// The signs of a page, a bit each.
const (
	otherHost  = 1 << iota // the text of a link names another host than the link
	pageInPage             // a page in an attribute or in a link data:
	sheetText              // text in a style sheet
	sheetLimit
	otherOrder
)

var signs = [...]string{"disguise:link", "disguise:page", "disguise:content", "limit:style", "disguise:order"}

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
	for sign := range p.Signs() {
		w.limit(string(sign))
	}
	p.Shrink()
}

func (p *Page) link(url []byte) {
	p.links = append(p.links, cutURL(url)...)
	p.ends = append(p.ends, len(p.links))
}

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

func (p *Page) text(raw []byte, mode htmltext.Mode) {
	if to := p.here(); to != nil {
		*to = htmltext.AppendText(*to, raw, mode)
	}
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

// startTag handles the current start tag of s.
func (p *Page) startTag(s *htmltext.Scanner, tag atom.Atom) {
	void := isVoid(tag)
	if void && !s.HasAttributes() && !p.sheet.Any() {
		if breaksLine(tag) {
			p.gap()
		}
		return
	}
	var a attributes
	links := len(p.ends)
	if s.HasAttributes() {
		p.attributes(s.Token(), tag, &a)
	}
	if p.sheet.Any() {
		a.name, a.tag = string(ascii.AppendLower(nil, s.Name())), s.Token()
	}
	if tag == atom.Template || tag == atom.Datalist {
		a.style.Set(style.Display, 1)
		a.styled = true
	}
	p.begin(tag, &a)
	if len(a.style.Content()) > 0 {
		p.signs |= sheetText
		p.write(a.style.Content())
	}
	for _, caption := range a.captions {
		p.caption(caption)
	}
	p.mark(tag, len(p.ends) > links)
	if a.inner != nil {
		p.within(a.inner)
	}
	switch {
	case void:
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
func (p *Page) attributes(raw []byte, tag atom.Atom, a *attributes) {
	met := 0
	first := func(bit int) bool { // a repeated attribute does not count
		was := met
		met |= 1 << bit
		return met != was
	}
	set := func(of style.Property, is int32) {
		a.style.Set(of, is)
		a.styled = true
	}
	var typ, value []byte
	r := htmltext.NewTag(raw)
	for key, v, ok := r.Next(); ok; key, v, ok = r.Next() {
		if len(v) > maxValue {
			continue
		}
		bit := slices.IndexFunc(telling[:], func(name string) bool { return equalFold(key, name) })
		if bit < 0 || !first(bit) {
			continue
		}
		switch telling[bit] {
		case "style":
			a.style.Attribute(htmltext.Value(v))
			a.styled = true
		case "hidden":
			set(style.Display, 1)
		case "class":
			a.class = htmltext.Value(v)
		case "id":
			a.id = htmltext.Value(v)
		case "bgcolor":
			set(style.Background, style.Colour(htmltext.Value(v)))
		case "color", "text":
			set(style.Color, style.Colour(htmltext.Value(v)))
		case "dir":
			if tag == atom.Bdo {
				set(style.RightToLeft, number01(equalFold(v, "rtl")))
				set(style.Override, 1)
			}
		case "type":
			typ = v
		case "value":
			value = v
		case "alt", "title", "placeholder", "label":
			a.captions = append(a.captions, htmltext.Value(v))
		case "srcdoc":
			a.inner = htmltext.Value(v)
		default:
			link := htmltext.Value(v)
			switch {
			case len(link) > len("data:") && hasFold(link, "data:"):
				if isShown(tag) {
					a.inner = link
				}
				continue
			case telling[bit] == "background":
				set(style.Background, style.Unknown)
			case telling[bit] == "href" && tag == atom.A && a.style.Get(style.Color, -1) == -1:
				set(style.Color, linkText)
			}
			p.link(link)
		}
	}
	switch {
	case tag != atom.Input:
	case equalFold(typ, "hidden"):
		set(style.Display, 1)
	case equalFold(typ, "submit"), equalFold(typ, "button"), equalFold(typ, "reset"):
		a.captions = append(a.captions, htmltext.Value(value))
	}
}

// telling are the attributes that hide text, contain text, or are links.
var telling = [...]string{
	"href", "style", "class", "src", "color", "bgcolor", "alt", "id", "title", "type", "value", "text", "hidden", "dir", "action",
	"background", "poster", "formaction", "placeholder", "label", "srcdoc", "data",
}
