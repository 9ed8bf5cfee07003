package tokenize

import (
	"cmp"
	"slices"
)

// A Trace has the places of a document's terms: each occurrence that a [Bag] counts while
// it records into the Trace. It is for showing a document, and costs several times as much
// as counting. Its methods are for readers of documents, such as package mail, which
// report how they decode the bytes; a nil Trace ignores them.
type Trace struct {
	Parts []Part // the texts that were read, in order
	Spans []Span // the occurrences: as many of each term as the Bag counts

	part  int // index of the current part; -1 before the first and between parts
	text  []byte
	outer place   // the place of Open
	depth int     // nesting depth of Enter
	here  []byte  // the bytes that the next terms are made of
	prior int     // the start of the word before; -1 if unknown
	both  bool    // the next term is made of both words
	made  []layer // layers over the part's bytes, the last on top
	some  []piece // pieces of the next layer
}

// Part is a text of a document in the form that its terms were made from, in UTF-8, or as given
// if [Analyzer.Text] read it. Of HTML it is the visible or the hidden text, without markup.
type Part struct {
	// Name is the name of a header field in lower case, "url" for a link of a page, "file"
	// for the name of a file, "invisible" for hidden text, and else the field of the terms:
	// "" for visible text.
	Name   string
	Header bool // Name is the name of a header field
	Text   string
}

// Span is one occurrence of a term.
type Span struct {
	Term string

	// Part is the index of its part, -1 for none: some terms stand for missing or truncated
	// text.
	Part int

	// Start and End bound the bytes of the part's Text that it was made of. They are 0 if
	// these are unknown, or are the whole part.
	Start, End int
}

// place is the state of the current part.
type place struct {
	part int
	text []byte
}

// layer is a text made from pieces of another one.
type layer struct {
	text   []byte
	pieces []piece
}

// piece is the bytes of a layer from at up to the next piece, and the bytes that they were
// made from.
type piece struct {
	at   int
	from []byte
}

// Record makes b record each occurrence that it counts from now on into t, or, if t is
// nil, nowhere.
func (b *Bag) Record(t *Trace) {
	if b.trace = t; t != nil {
		t.part, t.outer.part = -1, -1
	}
}

// record counts n occurrences of term, and records those that are counted.
func (b *Bag) record(term []byte, n int) {
	before := b.tokens
	b.add(hashOf(term), number(term), term, len(term), n)
	b.trace.add(term, b.tokens-before)
}

// Trace returns the Trace that b records into, or nil.
func (b *Bag) Trace() *Trace { return b.trace }

// Open begins a part of the document, until Close. Bytes are located in text by their
// address, so text must stay in place.
func (t *Trace) Open(name string, header bool, text []byte) {
	if t != nil {
		t.begin(name, header, text)
		t.outer = place{t.part, text}
	}
}

// Show sets the text of the open part if it was decoded after Open.
func (t *Trace) Show(text []byte) {
	if t == nil || t.outer.part < 0 {
		return
	}
	t.Parts[t.part].Text = string(text)
	t.text, t.outer.text = text, text
}

// Close ends the open part. A part without terms is dropped.
func (t *Trace) Close() {
	if t == nil {
		return
	}
	last := len(t.Parts) - 1
	if t.outer.part == last && (len(t.Spans) == 0 || t.Spans[len(t.Spans)-1].Part != last) {
		t.Parts = t.Parts[:last]
	}
	t.part, t.text, t.outer = -1, nil, place{-1, nil}
}

// Enter begins a text to be counted, until Leave: a part of its own, unless it was made
// from the current part.
func (t *Trace) Enter(name string, text []byte) {
	if t == nil {
		return
	}
	if t.depth++; t.depth > 1 {
		return
	}
	if t.outer.part < 0 || !t.has(text) {
		t.begin(name, false, text)
	}
}

// Leave ends the text that Enter began.
func (t *Trace) Leave() {
	if t == nil {
		return
	}
	if t.depth--; t.depth == 0 {
		t.part, t.text = t.outer.part, t.outer.text
	}
}

func (t *Trace) begin(name string, header bool, text []byte) {
	t.part, t.text = len(t.Parts), text
	t.Parts = append(t.Parts, Part{name, header, string(text)})
}

// At sets the bytes that the following terms are made of; nil for no particular bytes.
func (t *Trace) At(bytes []byte) {
	if t != nil {
		t.here = bytes
	}
}

// join says whether the next term is a pair of words. After it the last word is the word
// before.
func (t *Trace) join(pair bool) {
	if t == nil {
		return
	}
	if t.both = pair; pair {
		return
	}
	t.prior = -1
	if start, _, known := t.find(t.here, len(t.made)); known {
		t.prior = start
	}
}

// Piece says that the text being made comes, from this place on, from these bytes.
func (t *Trace) Piece(at int, from []byte) {
	if t != nil {
		t.some = append(t.some, piece{at, from})
	}
}

// Made says that the pieces since the last call made text, until Drop.
func (t *Trace) Made(text []byte) {
	if t != nil {
		t.made = append(t.made, layer{text, t.some})
		t.some = nil
	}
}

// Drop ends the layer that Made began.
func (t *Trace) Drop() {
	if t != nil {
		t.made = t.made[:len(t.made)-1]
	}
}

// add records n occurrences of a term.
func (t *Trace) add(term []byte, n int) {
	s := Span{Term: string(term), Part: t.part}
	if start, end, known := t.find(t.here, len(t.made)); known {
		s.Start, s.End = start, end
		if t.both && t.prior >= 0 {
			s.Start = t.prior
		}
	}
	for range n {
		t.Spans = append(t.Spans, s)
	}
}

// has reports whether bytes belong to the text of the current part, or to a layer made from it.
func (t *Trace) has(bytes []byte) bool {
	_, in := within(t.text, bytes)
	return in || len(bytes) == 0 || slices.ContainsFunc(t.made, func(l layer) bool {
		_, in := within(l.text, bytes)
		return in
	})
}

// find returns the place of bytes, which are not empty, in the text of the current part,
// through the first layers.
func (t *Trace) find(bytes []byte, layers int) (start, end int, known bool) {
	if at, in := within(t.text, bytes); in {
		return at, at + len(bytes), true
	}
	for i := layers - 1; i >= 0; i-- {
		l := &t.made[i]
		at, in := within(l.text, bytes)
		if !in {
			continue
		}
		first, last := l.piece(at), l.piece(at+len(bytes)-1)
		if first < 0 {
			return 0, 0, false
		}
		start, _, in = t.find(l.from(first, at, at+1), i)
		_, end, known = t.find(l.from(last, at+len(bytes)-1, at+len(bytes)), i)
		return start, end, in && known
	}
	return 0, 0, false
}

// piece returns the index of the piece that contains at, -1 if at is before the first.
func (l *layer) piece(at int) int {
	n, _ := slices.BinarySearchFunc(l.pieces, at+1, func(p piece, at int) int { return cmp.Compare(p.at, at) })
	return n - 1
}

// from returns the bytes that the bytes from start to end of piece n were made from: the
// same number of bytes in the same order, or all.
func (l *layer) from(n, start, end int) []byte {
	p, next := l.pieces[n], len(l.text)
	if n+1 < len(l.pieces) {
		next = l.pieces[n+1].at
	}
	if next-p.at < len(p.from) || start-p.at >= len(p.from) {
		return p.from
	}
	return p.from[start-p.at : min(end-p.at, len(p.from))]
}

// within returns the place of part, which is not empty, in text, if they share memory.
func within(text, part []byte) (at int, in bool) {
	at = cap(text) - cap(part)
	in = len(part) > 0 && at >= 0 && at+len(part) <= len(text) && &text[at] == &part[0]
	return at, in
}
