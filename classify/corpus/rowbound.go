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

// rowBound passes a table on to a csv.Reader, which keeps all bytes and cells of a row before
// anyone can count them. It passes one line at a time, so that the csv.Reader has read nothing
// behind the row that it returns, and none of a row too long. Lines of a row can be read again.
type rowBound struct {
	r      *bufio.Reader
	comma  byte
	limit  int64  // bytes of a row
	left   int64  // bytes that the row may still take
	cells  int    // cells that may still follow in it
	quoted bool   // the next byte is in quotes, unless the row is malformed: then csv.Reader gives it up
	held   []byte // between tabs: the row, and lines behind it that are to be read again
	from   int    // where the row begins in held
	at     int    // what was passed on of held
}

// next expects the next row.
func (b *rowBound) next() {
	if b.at > len(b.held)/2 { // so seldom that moving the rest costs little
		b.held, b.at = append(b.held[:0], b.held[b.at:]...), 0
	}
	b.left, b.cells, b.quoted, b.from = b.limit, maxColumns, false, b.at
}

// row returns what was passed on of the row, without empty lines.
func (b *rowBound) row() []byte { return bytes.Trim(b.held[b.from:b.at], "\r\n") }

// only returns the first line of the row. The others are read again, as rows of their own.
func (b *rowBound) only() []byte {
	line, _, several := bytes.Cut(b.row(), []byte("\n"))
	if several {
		b.at = b.from + bytes.Index(b.held[b.from:], line) + len(line) + 1
	}
	return bytes.TrimRight(line, "\r")
}

// Read reads at most one line.
func (b *rowBound) Read(p []byte) (n int, err error) {
	if b.left <= 0 || b.cells < 0 {
		return 0, fmt.Errorf("this row or the next has more than %d bytes, or more than %d cells: is a quote not closed?", b.limit, maxColumns)
	}
	head := b.held[b.at:]
	if len(head) == 0 {
		if _, err := b.r.Peek(1); err != nil {
			return 0, err
		}
		head, _ = b.r.Peek(b.r.Buffered())
	}
	head = head[:min(int64(len(head)), int64(len(p)), b.left)]
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
	n = copy(p, head)
	if b.at == len(b.held) {
		_, _ = b.r.Discard(n) // they are in its buffer
		if b.comma != '\t' {
			return n, nil
		}
		b.held = append(b.held, p[:n]...)
	}
	b.at += n
	return n, nil
}
