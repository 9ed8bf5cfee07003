package corpus

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/unicode"
)

// maxUnnamed is how many different rows without an id a table may have. To tell equal
// ones apart they are remembered, at 25 to 40 bytes each: without a bound, a table that
// streams would take all memory in the end.
const maxUnnamed = 1 << 24

// MaxHeldTable is how many bytes a table may have that comes from a pipe. What a
// column is takes all of its cells to tell, so that tables are read twice, and one
// that can be read only once is held in memory.
const MaxHeldTable = 256 << 20

// tableReader reads a table twice.
type tableReader struct {
	table
	path    string
	options *Options
	limit   int64 // bytes of a row
	emit    func(*Document) error
	fail    func(error)

	rows   *csv.Reader
	bound  rowBound
	before int               // lines before the header row that are no part of the table
	line   int               // where the row begins that was read last
	seen   map[uint64]uint32 // rows without an id that say the same, by their key
	room   int               // keys that may be seen
}

// readCSV gives each row of r to emit, and what is wrong with a row to fail.
func readCSV(ctx context.Context, r io.Reader, path string, o *Options, emit func(*Document) error, fail func(error)) error {
	rewind, err := rewinder(ctx, r)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	t := tableReader{
		table: table{max: o.MaxBytes}, path: path, options: o, emit: emit, fail: fail, seen: map[uint64]uint32{}, room: maxUnnamed,
		limit: o.MaxBytes + 1<<20, // a text, and room for other cells
	}
	if err := t.start(rewind); err != nil {
		return err
	}
	if err := t.header(o); err != nil {
		return t.wrong(err)
	}
	if err := t.each(func(row []string) error { t.look(row); return nil }, func(error) {}); err != nil {
		return err
	}
	t.tellMixed(o.Mixed)
	t.findText(o)
	if err := t.start(rewind); err != nil {
		return err
	}
	return t.each(t.give, fail)
}

// rewinder returns what begins to read r from where it is now, as often as it is
// called.
func rewinder(ctx context.Context, r io.Reader) (func() (io.Reader, error), error) {
	if f, ok := r.(*os.File); ok {
		info, err := f.Stat()
		start, seekErr := f.Seek(0, io.SeekCurrent)
		if err == nil && info.Mode().IsRegular() && seekErr == nil {
			return func() (io.Reader, error) {
				_, err := f.Seek(start, io.SeekStart)
				return &contextReader{ctx: ctx, r: f}, err
			}, nil
		}
	}
	held, err := io.ReadAll(io.LimitReader(&contextReader{ctx: ctx, r: r}, MaxHeldTable+1))
	if err == nil && len(held) > MaxHeldTable {
		err = fmt.Errorf("a table of more than %d MB that can be read only once: give a file", MaxHeldTable>>20)
	}
	return func() (io.Reader, error) { return bytes.NewReader(held), nil }, err
}

// start begins to read from the beginning, and reads the header row.
func (t *tableReader) start(rewind func() (io.Reader, error)) error {
	r, err := rewind()
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	in := utf8Table(bufio.NewReaderSize(r, headSize))
	head, _ := in.Peek(headSize) // an error comes again when the rows are read
	comma, length := statedSeparator(head)
	t.before = 0
	if length > 0 {
		t.before = 1
		_, _ = in.Discard(length) // they are in its buffer
	} else {
		comma = separatorOf(head)
	}
	trims := comma != '\t' // which would be taken for space
	t.bound = rowBound{r: in, comma: byte(comma), trims: trims, most: maxColumns + 1}
	t.rows = csv.NewReader(&t.bound)
	t.rows.Comma = comma
	t.rows.TrimLeadingSpace = trims
	t.rows.ReuseRecord = true
	t.rows.FieldsPerRecord = -1 // read says what is wrong with a row in better words
	t.line, t.names = 0, nil
	names, err := t.read()
	if err == io.EOF {
		return fmt.Errorf("%s: no header row with the names of the columns", t.path)
	}
	if err != nil {
		return t.wrong(err)
	}
	t.names = trimmed(names)
	return nil
}

// utf8Table returns what reads a table as UTF-8, without the mark that it may begin
// with.
func utf8Table(in *bufio.Reader) *bufio.Reader {
	head, _ := in.Peek(len(byteOrderMark))
	if isUTF16(head) {
		return bufio.NewReaderSize(unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(in), headSize)
	}
	if bytes.Equal(head, byteOrderMark) {
		_, _ = in.Discard(len(byteOrderMark))
	}
	return in
}

func trimmed(cells []string) []string {
	own := make([]string, len(cells))
	for i, c := range cells {
		own[i] = cellText(c)
	}
	return own
}

// cellText is what a cell says that is no text: UTF-8 without white space at its ends.
func cellText(cell string) string { return strings.TrimSpace(decoded(cell)) }

// read reads a row.
func (t *tableReader) read() ([]string, error) {
	t.bound.left = t.limit
	row, err := t.rows.Read()
	var parse *csv.ParseError
	switch {
	case errors.As(err, &parse):
		t.line = t.before + parse.StartLine
		return nil, err
	case err != nil:
		return nil, err
	}
	t.line, _ = t.rows.FieldPos(0)
	t.line += t.before
	n := len(t.names)
	switch {
	case n > 0 && len(row) != n:
		return nil, badValue("%s where the header row has %d", cells(len(row)), n)
	case len(row) > maxColumns:
		return nil, badValue("more than %d columns: a document may have %d attributes beside class, text and id", maxColumns, maxAttributes)
	}
	return row, nil
}

// cells counts the cells of a row.
func cells(n int) string {
	switch {
	case n == 1:
		return "1 cell"
	case n > maxColumns: // no more are handed on
		return fmt.Sprintf("more than %d cells", maxColumns)
	}
	return strconv.Itoa(n) + " cells"
}

// each calls f with each row. It gives what is wrong with one to fail and goes on; an
// error of f that says what is wrong with a row too.
func (t *tableReader) each(f func(row []string) error, fail func(error)) error {
	for {
		row, err := t.read()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = f(row)
		}
		var parse *csv.ParseError
		var value valueError
		switch {
		case err == nil:
		case errors.As(err, &parse) || errors.As(err, &value):
			fail(t.wrong(err))
		case errors.Is(err, errLongRow):
			return fmt.Errorf("%s: a row behind line %d has more than %d bytes: is a quote not closed?", t.path, t.line, t.limit)
		default:
			return t.wrong(err)
		}
	}
}

// wrong says in which row of which file err is.
func (t *tableReader) wrong(err error) error {
	var s stop
	var parse *csv.ParseError
	switch {
	case errors.As(err, &s):
		return err
	case errors.As(err, &parse):
		err = parse.Err
	}
	return fmt.Errorf("%s:%d: %w", t.path, t.line, err)
}

// give gives the document of a row.
func (t *tableReader) give(row []string) error {
	d, cut, err := t.document(row)
	if err != nil {
		return err
	}
	d.Path, d.Row = t.path+":"+strconv.Itoa(t.line), true
	if d.ID == "" {
		key := rowKey(d)
		n, known := t.seen[key]
		if !known && len(t.seen) >= t.room {
			return fmt.Errorf("more than %d different rows without an id: give the table a column of ids", t.room)
		}
		d.Copy = int(n)
		t.seen[key] = n + 1
	}
	if cut {
		t.options.cut(d)
	}
	return t.emit(d)
}

// rowKey is a digest of what a row says, but for its class. It is short, since one of
// each row is kept. Where two rows had the same, by a chance of 1 in 2^17 for as many
// rows as there may be, one would count as a copy, and be a document all the same.
func rowKey(d *Document) uint64 {
	h := sha256.New()
	add := func(s string) {
		h.Write(binary.AppendUvarint(nil, uint64(len(s))))
		io.WriteString(h, s)
	}
	add(string(d.Content))
	for _, a := range d.Attributes {
		add(a.Name)
		add(a.Text)
	}
	return binary.BigEndian.Uint64(h.Sum(nil))
}
