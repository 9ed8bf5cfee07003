package corpus

import (
	"bufio"
	"errors"
	"unicode"
	"unicode/utf8"
)

// maxAttributes is how many attributes a document may have: count.MaxAttributes, which
// this package, building on none of ours, cannot name. More could not be learned.
const maxAttributes = 4096

// maxColumns is how many columns a table may have: attributes, class, text and id.
const maxColumns = maxAttributes + 3

var errLongRow = errors.New("row too long")

// rowBound hands a table on to a csv.Reader, which keeps every cell of a row, at some
// 200 bytes, before anyone can count them. It ends the reading of a row that does not
// end, and leaves out what a row has beyond the most cells. Of that it hands on the
// newlines: the first ends the row, and others, which were in quotes, are empty lines
// to csv.Reader, which passes them over, so that its count of lines stays right.
type rowBound struct {
	r     *bufio.Reader
	comma byte
	trims bool  // as csv.Reader.TrimLeadingSpace
	left  int64 // bytes that the row may still take
	most  int   // cells of a row that are handed on, 2 or more: one may look like an empty line

	place rowPlace
	part  []byte // of a character at the beginning of a cell
	cells int    // of the row that have ended
	wide  bool   // the row has had the most
}

// rowPlace is where in a row the next byte stands, as csv.Reader sees it.
type rowPlace int

const (
	atCell      rowPlace = iota // before a cell
	inCell                      // in one without quotes
	inQuotes                    // in one with quotes
	behindQuote                 // behind a quote in quotes: it ends the cell, or is the first of two
	inError                     // behind what is malformed: csv.Reader goes on with the next line
)

// Read reads no more than is left.
func (b *rowBound) Read(p []byte) (n int, err error) {
	for n == 0 && len(p) > 0 {
		if b.left <= 0 {
			return 0, errLongRow
		}
		if _, err := b.r.Peek(1); err != nil {
			return 0, err
		}
		head, _ := b.r.Peek(int(min(int64(b.r.Buffered()), int64(len(p)), b.left)))
		for _, c := range head {
			if b.pass(c); !b.wide || c == '\n' {
				p[n] = c
				n++
			}
		}
		b.left -= int64(len(head))
		_, _ = b.r.Discard(len(head)) // they are in its buffer
	}
	return n, nil
}

// pass goes past a byte.
func (b *rowBound) pass(c byte) {
	if b.place == atCell && (c >= utf8.RuneSelf || len(b.part) > 0) {
		b.part = append(b.part, c)
		if !utf8.FullRune(b.part) {
			return
		}
		r, _ := utf8.DecodeRune(b.part)
		b.part = b.part[:0]
		if b.trims && unicode.IsSpace(r) {
			return
		}
		b.place = inCell // and c may have cut the character short
	}
	switch {
	case b.place == inQuotes:
		if c == '"' {
			b.place = behindQuote
		}
	case c == '\n':
		b.place, b.cells, b.wide = atCell, 0, false
	case b.place == inError:
	case c == b.comma:
		b.place = atCell
		b.cells++
		b.wide = b.wide || b.cells >= b.most
	case c == '"':
		b.place = b.place.quote()
	case b.place == behindQuote:
		b.place = inError
	case b.place == atCell && !(b.trims && unicode.IsSpace(rune(c))):
		b.place = inCell
	}
}

// quote is the place behind a quote that is met outside quotes.
func (p rowPlace) quote() rowPlace {
	if p == inCell {
		return inError
	}
	return inQuotes
}
