package corpus

import (
	"bufio"
	"errors"
	"unicode"
	"unicode/utf8"
)

// maxAttributes is the largest number of attributes of a document: count.MaxAttributes,
// which this package does not import. More could not be learned.
const maxAttributes = 4096

// maxColumns is the largest number of columns of a table: attributes, class, text and id.
const maxColumns = maxAttributes + 3

var errLongRow = errors.New("row too long")

// rowBound passes a table on to a csv.Reader, which would keep every cell of a row, at
// some 200 bytes, before anyone can count them. It stops reading a row that does not end,
// and drops cells of a row beyond the limit. It keeps their newlines: the first ends the
// row, and csv.Reader skips the others, which were in quotes, as empty lines, so that its
// count of lines stays right.
type rowBound struct {
	r     *bufio.Reader
	comma byte
	trims bool  // as csv.Reader.TrimLeadingSpace
	left  int64 // bytes that the row may still take
	most  int   // cells of a row to pass on, at least 2: one may look like an empty line

	place rowPlace
	part  []byte // the first bytes of a character at the beginning of a cell
	cells int    // finished cells of the row
	wide  bool   // the row has reached the limit
}

// rowPlace is the state of csv.Reader at the next byte of a row.
type rowPlace int

const (
	atCell      rowPlace = iota // before a cell
	inCell                      // in a cell without quotes
	inQuotes                    // in a cell with quotes
	behindQuote                 // after a quote in quotes: it ends the cell, or is the first of two
	inError                     // after malformed input: csv.Reader continues with the next line
)

// Read reads at most left bytes of a row.
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

// pass advances the state by a byte.
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

// quote returns the state after a quote outside quotes.
func (p rowPlace) quote() rowPlace {
	if p == inCell {
		return inError
	}
	return inQuotes
}
