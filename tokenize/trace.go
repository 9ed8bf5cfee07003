package tokenize

import (
	"cmp"
	"slices"
)

// A Trace says where the terms of a document come from: each occurrence that a [Bag] counts
// while it records into it. It is for showing a document, and costs several times what
// counting costs. Its methods, which package mail calls, are for readers of documents, who
// tell it what they make of the bytes; a nil Trace ignores them.
type Trace struct {
	Parts []Part // the texts that were read, in order
	Spans []Span // the occurrences: as many of each term as the Bag counts

	part  int // in hand; -1 before the first and between parts
	text  []byte
	outer place   // that of Open
	depth int     // of Enter
	here  []byte  // what the next terms are made of
	prior int     // where the word before begins; -1 if that is not known
	both  bool    // the next term is made of both
	made  []layer // of the part's bytes, the last on top
	some  []piece // of the layer to come
}

// Part is a text of a document as its terms were made of it, decoded to UTF-8 unless any
// bytes are text. Of HTML it is what is seen or hidden, without markup.
type Part struct {
	// Name is that of a header field in lower case, "url" for a link of a page, "file" for
	// the name of a file, "invisible" for hidden text, and else the field of the terms: ""
	// is text that is seen.
	Name   string
	Header bool // Name is that of a header field
	Text   string
}

// Span is one occurrence of a term.
type Span struct {
	Term string

	// Part is the index of the part that it comes from, -1 for none: some terms say what is
	// missing, or was left out.
	Part int

	// Start and End bound the bytes of the part's Text that it was made of. They are 0 if
	// that is not known, or is the part as a whole.
	Start, End int
}

// place is a part in hand.
type place struct {
	part int
	text []byte
}

// layer is a text made of pieces of another one.
type layer struct {
	text   []byte
	pieces []piece
}

// piece is what stands in a layer from at up to the next piece, and what it was made of.
type piece struct {
	at   int
	from []byte
}

// Trace returns where the terms of a text come from that [Analyzer.Text] would count
// without field.
func (a *Analyzer) Trace(text []byte) *Trace {
	var t Trace
	var b Bag
	b.Record(&t)
	a.Text(&b, "", text)
	return &t
}

// Record has each occurrence that b counts from now on written into t too, or, if t is nil,
// into none.
func (b *Bag) Record(t *Trace) {
	if b.trace = t; t != nil {
		t.part, t.outer.part = -1, -1
	}
	b.unusual = b.moved || t != nil
}

// record counts n occurrences of term, and records as many as are counted.
func (b *Bag) record(term []byte, n int) {
	t, before := b.trace, b.tokens
	b.trace, b.unusual = nil, false
	b.AddN(term, n)
	b.trace, b.unusual = t, true
	t.add(term, b.tokens-before)
}

// Trace returns what b records into, or nil.
func (b *Bag) Trace() *Trace { return b.trace }

// Open begins a part of the document, until Close. Text is as it lies in memory: bytes are
// found in it again by where they lie, so that it must stay there.
func (t *Trace) Open(name string, header bool, text []byte) {
	if t != nil {
		t.begin(name, header, text)
		t.outer = place{t.part, text}
	}
}

// Show says what the text of the open part is, if that was decoded since.
func (t *Trace) Show(text []byte) {
	if t == nil || t.outer.part < 0 {
		return
	}
	t.Parts[t.part].Text = string(text)
	t.text, t.outer.text = text, text
}

// Close ends the part that was opened. Without terms it is left out.
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

// Enter begins a text to be counted, until Leave: a part of its own, unless it is made of
// the part in hand.
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

// Leave ends what Enter began.
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

// At says what the terms that follow are made of; nil is nothing in particular.
func (t *Trace) At(bytes []byte) {
	if t != nil {
		t.here = bytes
	}
}

// join says whether the term that follows is a pair of words. After it the last one is the
// word before.
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

// Piece says that what stands at a place of a text that is being made comes from here.
func (t *Trace) Piece(at int, from []byte) {
	if t != nil {
		t.some = append(t.some, piece{at, from})
	}
}

// Made says that text is what the pieces since the last call were for, until Drop.
func (t *Trace) Made(text []byte) {
	if t != nil {
		t.made = append(t.made, layer{text, t.some})
		t.some = nil
	}
}

// Drop ends what Made began.
func (t *Trace) Drop() {
	if t != nil {
		t.made = t.made[:len(t.made)-1]
	}
}

// add notes n occurrences of a term.
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

// has reports whether bytes are of the text of the part in hand, or of what was made of it.
func (t *Trace) has(bytes []byte) bool {
	_, in := within(t.text, bytes)
	return in || len(bytes) == 0 || slices.ContainsFunc(t.made, func(l layer) bool {
		_, in := within(l.text, bytes)
		return in
	})
}

// find returns where bytes that are not empty stand in the text of the part in hand, by way
// of the first layers.
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

// piece returns the number of the piece that at lies in, -1 if it lies before the first.
func (l *layer) piece(at int) int {
	n, _ := slices.BinarySearchFunc(l.pieces, at+1, func(p piece, at int) int { return cmp.Compare(p.at, at) })
	return n - 1
}

// from returns what the bytes from start to end of piece n were made of: the same number
// of bytes in the same order, or all.
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

// within returns where part, which is not empty, lies in text, if it shares its memory.
func within(text, part []byte) (at int, in bool) {
	at = cap(text) - cap(part)
	in = len(part) > 0 && at >= 0 && at+len(part) <= len(text) && &text[at] == &part[0]
	return at, in
}
