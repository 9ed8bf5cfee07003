package tokenize

import (
	"bytes"
	"hash/maphash"
	"iter"
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
	signs    uint8
	// skip is an element whose content is not text, such as a script.
	skip atom.Atom
}

func (p *Page) reset() {
	p.Visible, p.Invisible, p.links, p.ends = p.Visible[:0], p.Invisible[:0], p.links[:0], p.ends[:0]
	p.open, p.path, p.floor, p.inner = append(p.open[:0], outermost), p.path[:0], 1, 0
	p.hidden, p.skip, p.signs = false, 0, 0
	p.standard, p.body = false, 0
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
				if p.sheets = true; p.readSheets(s) {
					p.reset()
					s = htmltext.NewScanner(html) // sheets count for what precedes them too
					continue
				}
			}
			p.startTag(&s, tag)
		case htmltext.Close:
			p.endTag(tagNamed(s.Name()))
		case htmltext.Comment:
			p.standard = p.standard || ascii.HasPrefix(s.Token(), "<!doctype html>")
		}
	}
}

// readSheets reads the style sheets of a page, of which s has read the first start tag, and
// reports whether they matter.
func (p *Page) readSheets(s htmltext.Scanner) bool {
	for kind, of := htmltext.Start, atom.Style; kind != htmltext.End; kind = s.Next() {
		if kind == htmltext.Text && of == atom.Style {
			p.sheet.Add(s.Token())
			if !hasSheet(s.Rest()) {
				break
			}
		}
		of = 0
		if kind == htmltext.Start && tagNamed(s.Name()) == atom.Style {
			if media, _ := htmltext.Attribute(s.Token(), "media"); len(media) == 0 || style.Screen(strings.ToLower(string(media))) {
				of = atom.Style
			}
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
			w.bag.Add([]byte(limitText))
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
		w.bag.Add(sign)
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
	a := &p.tag
	a.id, a.class, a.inner, a.captions = nil, nil, nil, a.captions[:0]
	if a.styled {
		a.style, a.styled = style.Style{}, false
	}
	links := len(p.ends)
	p.attributes(s, tag, a)
	if void && !a.styled && a.inner == nil && !p.sheet.Any() {
		if breaksLine(tag) {
			p.gap()
		}
		for _, caption := range a.captions {
			p.caption(caption)
		}
		return
	}
	if p.sheet.Any() {
		if a.name, a.tag = tag.String(), s.Token(); tag&madeUp != 0 {
			a.name = string(ascii.AppendLower(nil, s.Name()))
		}
	}
	if tag == atom.Template || tag == atom.Datalist {
		a.style.Set(style.Display, 1)
		a.styled = true
	}
	p.begin(tag, a)
	if len(a.style.Content()) > 0 {
		p.signs |= sheetText
		p.write(a.style.Content())
	}
	for _, caption := range a.captions {
		p.caption(caption)
	}
	p.mark(tag, len(p.ends) > links)
	if inner := a.inner; inner != nil {
		p.within(inner)
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
func (p *Page) attributes(s *htmltext.Scanner, tag atom.Atom, a *attributes) {
	met := 0
	set := func(of style.Property, is int32) {
		a.style.Set(of, is)
		a.styled = true
	}
	var typ, value []byte
	r := htmltext.NewTag(s.Token())
	for key, v, ok := r.Next(); ok; key, v, ok = r.Next() {
		kind := kindOfAttribute(key)
		if kind == 0 || len(v) > maxValue || met&(1<<kind) != 0 { // a repeated attribute does not count
			continue
		}
		met |= 1 << kind
		switch kind {
		case typeAttribute:
			typ = v
			continue
		case hiddenAttribute:
			set(style.Display, 1)
			continue
		case classAttribute, idAttribute:
			if !p.sheet.Any() {
				continue
			}
		}
		switch v = htmltext.Value(v); kind {
		case styleAttribute:
			a.style.Attribute(v)
			a.styled = true
		case classAttribute:
			a.class = v
		case idAttribute:
			a.id = v
		case groundAttribute:
			set(style.Background, style.Colour(v))
		case colourAttribute:
			set(style.Color, style.Colour(v))
		case orderAttribute:
			if tag == atom.Bdo {
				set(style.RightToLeft, style.One(bytes.EqualFold(v, []byte("rtl"))))
				set(style.Override, 1)
			}
		case valueAttribute:
			value = v
		case innerAttribute:
			a.inner = v
		case altAttribute, titleAttribute, placeholderAttribute, labelAttribute:
			a.captions = append(a.captions, v)
		default:
			switch {
			case len(v) > len("data:") && ascii.HasPrefix(v, "data:"):
				if isShown(tag) {
					a.inner = v
				}
				continue
			case kind == pictureAttribute:
				set(style.Background, style.Unknown)
			case kind == hrefAttribute && tag == atom.A && !a.styled:
				set(style.Color, linkText)
			}
			p.link(v)
		}
	}
	switch {
	case tag != atom.Input:
	case bytes.EqualFold(typ, []byte("hidden")):
		set(style.Display, 1)
	case bytes.EqualFold(typ, []byte("submit")), bytes.EqualFold(typ, []byte("button")), bytes.EqualFold(typ, []byte("reset")):
		a.captions = append(a.captions, value)
	}
}

// The attributes that hide text, contain text, or are links.
const (
	typeAttribute = 1 + iota
	hiddenAttribute
	styleAttribute
	classAttribute
	idAttribute
	groundAttribute
	colourAttribute
	orderAttribute
	valueAttribute
	innerAttribute
	altAttribute
	titleAttribute
	placeholderAttribute
	labelAttribute
	pictureAttribute
	hrefAttribute
	otherLinks // and more, a bit each
)

// kindOfAttribute returns one of those, 0 for other names.
func kindOfAttribute(name []byte) int {
	var buf [16]byte
	if len(name) > len(buf) {
		return 0
	}
	switch string(ascii.AppendLower(buf[:0], name)) {
	case "type":
		return typeAttribute
	case "hidden":
		return hiddenAttribute
	case "style":
		return styleAttribute
	case "class":
		return classAttribute
	case "id":
		return idAttribute
	case "bgcolor":
		return groundAttribute
	case "color", "text":
		return colourAttribute
	case "dir":
		return orderAttribute
	case "value":
		return valueAttribute
	case "srcdoc":
		return innerAttribute
	case "alt":
		return altAttribute
	case "title":
		return titleAttribute
	case "placeholder":
		return placeholderAttribute
	case "label":
		return labelAttribute
	case "background":
		return pictureAttribute
	case "href":
		return hrefAttribute
	case "src":
		return otherLinks
	case "action":
		return otherLinks + 1
	case "poster":
		return otherLinks + 2
	case "formaction":
		return otherLinks + 3
	case "data":
		return otherLinks + 4
	}
	return 0
}
