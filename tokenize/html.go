package tokenize

import (
	"bytes"
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/polya-classifier/polya/tokenize/internal/htmltext"
)

const (
	// maxToken is the longest tag, comment or text that is read as such. The
	// tokenizer holds a token in memory, and twice while its buffer grows.
	maxToken = 1 << 20

	// maxKept is the largest buffer that a worker keeps for the next text.
	maxKept = 512 << 10
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
	for len(text) > 0 {
		n := w.markup(text, link)
		text = text[n:]
	}
	w.analyze("", w.page.visible)
	w.analyze("invisible", w.page.invisible)
}

// markup reads text until its end or until a token that is too long. It returns
// how much it read or passed over, at least one byte.
func (w *worker) markup(text []byte, link func(url []byte)) int {
	p := &w.page
	p.reader.Reset(text)
	z := html.NewTokenizer(&p.reader)
	z.SetMaxBuf(maxToken)
	mode := htmltext.Normal // of the next token, if that is text
	for read := 0; ; {
		typ, was := z.Next(), mode
		n := len(z.Raw())
		mode = htmltext.Normal
		if typ == html.ErrorToken {
			if z.Err() != html.ErrBufferExceeded {
				return len(text)
			}
			return read + beyond(text[read:], n, ">")
		}
		switch typ {
		case html.TextToken:
			if p.skip == 0 {
				p.text(htmltext.Text(z.Raw(), was))
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			mode = w.startTag(z, link)
		case html.EndTagToken:
			name, _ := z.TagName()
			p.endTag(atom.Lookup(name))
		}
		read += n
		switch {
		case n < maxToken:
		case typ == html.CommentToken:
			return read + beyond(text[read:], 0, "-->")
		case p.skip != 0:
			return read + before(text[read:], "</"+p.skip.String())
		default: // the rest of a text
			return read
		}
	}
}

// beyond is where text goes on behind the first end at or after n.
func beyond(text []byte, n int, end string) int {
	if i := bytes.Index(text[n:], []byte(end)); i >= 0 {
		return n + i + len(end)
	}
	return len(text)
}

// before is where text has tag, in any case.
func before(text []byte, tag string) int {
	for i := 0; i < len(text); i++ {
		if text[i] == '<' && hasFold(text[i:], tag) {
			return i
		}
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

// startTag takes the tag that z has come to, and returns what the text behind it is.
func (w *worker) startTag(z *html.Tokenizer, link func(url []byte)) htmltext.Mode {
	p := &w.page
	name, more := z.TagName()
	tag, mode := atom.Lookup(name), htmltext.ModeOf(name)
	if breaks[tag] {
		p.gap()
	}
	hides := more && w.attributes(z.Raw(), link)
	switch {
	case void[tag]:
		return mode
	case tag == atom.Noscript || tag == atom.Noembed || tag == atom.Noframes:
		// Mail programs run no scripts, so this is what they show.
		z.NextIsNotRawText()
		mode = htmltext.Normal
	case tag == atom.Script || tag == atom.Style || tag == atom.Iframe || tag == atom.Template:
		if p.skip == 0 {
			p.skip = tag
		}
	}
	p.open(tag, hides)
	return mode
}

// attributes takes those of a start tag, and says whether they hide its text.
func (w *worker) attributes(raw []byte, link func(url []byte)) (hides bool) {
	p := &w.page
	seen := 0
	first := func(bit int) bool { // of two of a name the second does not count
		was := seen
		seen |= 1 << bit
		return seen != was
	}
	var lower [16]byte // longer than any that matters
	r := htmltext.NewTag(raw)
	for key, value, ok := r.Next(); ok; key, value, ok = r.Next() {
		if len(key) > len(lower) {
			continue
		}
		key = appendLower(lower[:0], key)
		name := atom.Lookup(key)
		switch bit := slices.Index(telling[:], name); {
		case name == 0:
			if string(key) == "background" && first(len(telling)) {
				link(htmltext.Value(value))
			}
		case bit < 0 || !first(bit):
		case name == atom.Style:
			hides = hides || hidesText(htmltext.Value(value))
		case name == atom.Hidden:
			hides = true
		case name == atom.Alt || name == atom.Title:
			p.gap()
			p.text(htmltext.Value(value))
			p.gap()
		default:
			link(htmltext.Value(value))
		}
	}
	return hides
}

// telling are the attributes that hide a text, are one, or are links.
var telling = [...]atom.Atom{atom.Style, atom.Hidden, atom.Alt, atom.Title, atom.Href, atom.Src, atom.Action, atom.Poster, atom.Formaction}

func appendLower(dst, b []byte) []byte {
	for _, c := range b {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}
