package tokenize

import (
	"bytes"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// maxToken is the longest tag, comment or text that is read as such. The
	// tokenizer holds a token in memory, and twice while its buffer grows.
	maxToken = 1 << 20

	// maxKept is the largest buffer that a worker keeps for the next text.
	maxKept = 512 << 10

	// maxTag is the longest name of a tag that is counted. The longest of
	// HTML is "blockquote"; longer ones are made up.
	maxTag = 16
)

// A page gathers the text of one HTML text.
type page struct {
	visible   []byte
	invisible []byte
	reader    bytes.Reader

	// While hidden is not 0, all text is invisible, until as many elements
	// of that name have ended as began. Counting one name takes no stack, so
	// that no nesting is too deep.
	hidden atom.Atom
	depth  int
	// skip is the element whose content is no text, such as a script.
	skip atom.Atom
}

func (p *page) reset() {
	p.visible, p.invisible = p.visible[:0], p.invisible[:0]
	p.hidden, p.depth, p.skip = 0, 0, 0
}

// shrink lets go of large buffers.
func (p *page) shrink() {
	p.reader.Reset(nil)
	if cap(p.visible) > maxKept {
		p.visible = nil
	}
	if cap(p.invisible) > maxKept {
		p.invisible = nil
	}
}

// html counts the terms of an HTML text and hands its links to link.
func (w *worker) html(text []byte, link func(url []byte)) {
	w.page.reset()
	w.setField("html")
	for len(text) > 0 {
		n := w.markup(text, link)
		text = text[n:]
	}
	w.analyze("", w.page.visible)
	w.analyze("invisible", w.page.invisible)
}

// markup reads text until its end or until a token that is too long, of which it
// passes over maxToken bytes. It returns how much it read.
func (w *worker) markup(text []byte, link func(url []byte)) int {
	w.page.reader.Reset(text)
	z := html.NewTokenizer(&w.page.reader)
	z.SetMaxBuf(maxToken)
	read := 0
	for {
		typ := z.Next()
		if typ == html.ErrorToken {
			if z.Err() != html.ErrBufferExceeded {
				return len(text)
			}
			return read + w.page.tooLong(text[read:])
		}
		read += len(z.Raw())
		switch typ {
		case html.TextToken:
			w.page.text(z.Text())
		case html.StartTagToken, html.SelfClosingTagToken:
			w.startTag(z, link)
		case html.EndTagToken:
			name, _ := z.TagName()
			w.page.endTag(atom.Lookup(name))
		}
	}
}

// tooLong takes a token that is longer than maxToken: the beginning of a text
// is text, that of a tag or comment nothing. It returns how much it took.
func (p *page) tooLong(text []byte) int {
	n := min(len(text), maxToken)
	if text[0] != '<' {
		p.text(text[:n])
		return n
	}
	if end := bytes.IndexByte(text[n:], '>'); end >= 0 {
		return n + end + 1
	}
	return len(text)
}

// text takes text that is not markup.
func (p *page) text(text []byte) {
	switch {
	case p.skip != 0:
	case p.hidden != 0:
		p.invisible = append(p.invisible, text...)
	default:
		p.visible = append(p.visible, text...)
	}
}

// gap parts the words before from the words behind.
func (p *page) gap() {
	if p.hidden != 0 {
		p.invisible = append(p.invisible, '\n')
	} else {
		p.visible = append(p.visible, '\n')
	}
}

// startTag takes the tag that z has come to.
func (w *worker) startTag(z *html.Tokenizer, link func(url []byte)) {
	p := &w.page
	name, more := z.TagName()
	tag := atom.Lookup(name)
	if len(name) <= maxTag {
		w.bag.Add(append(w.buf[:w.prefix], name...))
	}
	if breaks[tag] {
		p.gap()
	}
	hides := false
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch atom.Lookup(key) {
		case 0:
			if string(key) == "background" {
				link(value)
			}
		case atom.Style:
			hides = hides || hidesText(value)
		case atom.Hidden:
			hides = true
		case atom.Href, atom.Src, atom.Action, atom.Poster, atom.Formaction:
			link(value)
		case atom.Alt, atom.Title:
			p.gap()
			p.text(value)
			p.gap()
		}
	}
	switch {
	case void[tag]:
		return
	case tag == atom.Noscript || tag == atom.Noembed || tag == atom.Noframes:
		// Mail programs run no scripts, so this is what they show.
		z.NextIsNotRawText()
	case tag == atom.Script || tag == atom.Style || tag == atom.Iframe || tag == atom.Template:
		if p.skip == 0 {
			p.skip = tag
		}
	}
	p.open(tag, hides)
}
