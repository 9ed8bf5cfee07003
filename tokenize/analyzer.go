package tokenize

import "sync"

// An Analyzer turns text into terms, as its spec says. It is safe for
// concurrent use: every call takes a worker with buffers and a cache of its own,
// under 10 MB in all, and hands it back.
type Analyzer struct {
	spec    spec
	workers sync.Pool
}

// New returns the analyzer that spec describes; "" is DefaultSpec.
func New(spec string) (*Analyzer, error) {
	s, err := parseSpec(spec)
	if err != nil {
		return nil, err
	}
	return &Analyzer{spec: s}, nil
}

// Spec is the canonical form of the analyzer's spec: New(a.Spec()) is the same
// analyzer.
func (a *Analyzer) Spec() string { return a.spec.String() }

// Attributes lists what the spec asks for beside terms, in the order of its
// canonical form; by default it is empty. It must not be changed. An Analyzer does
// not know how they are found: mail.Read does.
func (a *Analyzer) Attributes() []string { return a.spec.attr }

// Text adds the terms of text to bag, each after "field:" unless field is empty. Links in the
// text become terms as URL makes them. Any bytes are text: what is not UTF-8 is read as
// Windows-1252, byte by byte. Of a text longer than [MaxText] only the first and the last half
// of that are counted, and the term "limit:text" is added.
func (a *Analyzer) Text(bag *Bag, field string, text []byte) {
	w := a.take(bag)
	w.analyze(field, text)
	a.release(w)
}

// URL adds the terms of a link to bag: its host and the host's parent domains
// in the field "url" (www.example.co.uk gives url:www.example.co.uk,
// url:example.co.uk and url:co.uk), the words of the rest in the field "path".
// Scheme and port say nothing and are left out. A link without scheme that
// begins neither with "//" nor "www." is relative, and is all path.
func (a *Analyzer) URL(bag *Bag, url []byte) {
	w := a.take(bag)
	w.url(url)
	a.release(w)
}

// HTML adds the terms of an HTML text to bag: the words that a reader sees, and
// titles and texts in place of pictures, as Text without field does; text that
// is hidden in the field "invisible"; and the links as URL does. The words of the title, of
// headings and of the texts of links are counted once more in the fields "Title",
// "Heading" and "Anchor". Words, hidden text and links are each bounded by [MaxText], as in
// Text, the fields by [MaxMarked]; markup does not count.
func (a *Analyzer) HTML(bag *Bag, html []byte) {
	w := a.take(bag)
	w.html(html)
	a.release(w)
}

// take returns a worker that counts into bag.
func (a *Analyzer) take(bag *Bag) *worker {
	w, _ := a.workers.Get().(*worker)
	if w == nil {
		w = newWorker(a.spec)
	}
	w.bag = bag
	return w
}

// release makes w free for another call.
func (a *Analyzer) release(w *worker) {
	w.bag = nil
	a.workers.Put(w)
}
