package corpus

import (
	"bufio"
	"bytes"
	"fmt"
)

// maxAttributes is the largest number of attributes of a document: count.MaxAttributes,
// which this package does not import. More could not be learned.
const maxAttributes = 4096

// maxColumns is the largest number of columns of a table: attributes, class, text and id.
const maxColumns = maxAttributes + 3

// rowBound passes a table on to a csv.Reader, which keeps all bytes of a row and some 200 bytes
// for each cell before anyone can count them. It passes one line at a time, so that the
// csv.Reader has read nothing behind the row that it returns, and none of a row too long.
type rowBound struct {
	r      *bufio.Reader
	comma  byte
	limit  int64 // bytes of a row
	left   int64 // bytes that the row may still take
	cells  int   // cells that may still follow in it
	quoted bool  // the next byte is in quotes, unless the row is malformed: then csv.Reader gives it up
}

// next expects the next row.
func (b *rowBound) next() { b.left, b.cells, b.quoted = b.limit, maxColumns, false }

// Read reads at most one line.
func (b *rowBound) Read(p []byte) (n int, err error) {
	if b.left <= 0 || b.cells < 0 {
		return 0, fmt.Errorf("the row behind this one has more than %d bytes, or more than %d cells: is a quote not closed?", b.limit, maxColumns)
	}
	if _, err := b.r.Peek(1); err != nil {
		return 0, err
	}
	head, _ := b.r.Peek(int(min(int64(b.r.Buffered()), int64(len(p)), b.left)))
	if end := bytes.IndexByte(head, '\n'); end >= 0 {
		head = head[:end+1]
	}
	for _, c := range head {
		if c == '"' {
			b.quoted = !b.quoted
		} else if c == b.comma && !b.quoted {
			b.cells--
		}
	}
	b.left -= int64(len(head))
	return b.r.Read(p[:len(head)]) // they are in its buffer
}
