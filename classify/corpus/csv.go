package corpus

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// maxUnnamed is the largest number of different rows without an id in a table. They are
// remembered, at 25 to 40 bytes each: a streamed table could exhaust memory.
const maxUnnamed = 1 << 24

// MaxHeldTable is the largest size in bytes of a table from a pipe. Tables are read twice,
// since the kind of a column depends on all of its cells: this one is held in memory.
const MaxHeldTable = 256 << 20

// tableReader reads a table twice.
type tableReader struct {
	table
	*walker
	path string

	rows   *csv.Reader
	bound  rowBound
	before int               // lines before the header row that are not part of the table
	line   int               // the first line of the last row read
	seen   map[uint64]uint32 // number of equal rows without an id, by key
	room   int               // number of keys that may still be added to seen
}

// readCSV emits each row of r, of which br has read a part, and records errors in rows.
func (w *walker) readCSV(br *bufio.Reader, r io.Reader, path string) error {
	rewind, err := w.rewinder(br, r)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	t := tableReader{walker: w, path: path, seen: map[uint64]uint32{}, room: maxUnnamed}
	if err := t.start(rewind); err != nil {
		return err
	}
	if err := t.header(&w.o); err != nil {
		return t.wrong(fmt.Errorf("header row: %w (if these are no names, write names above them)", err))
	}
	unnamed := t.table.class < 0 && len(t.texts) == 0 && t.id < 0
	if slices.ContainsFunc(t.names, func(name string) bool { return looksValue(name) && (unnamed || strings.Contains(name, ".")) }) {
		w.o.remark(path, Headless, 1)
	}
	if err := t.each(func(row []string) error { t.look(row); return nil }, func(error) {}); err != nil {
		return err
	}
	t.findTexts(&w.o)
	if err := t.start(rewind); err != nil {
		return err
	}
	return t.each(t.give, w.failed.add)
}

// rewinder returns a function that starts reading br from its current place, each time it
// is called: r again, if that is a file.
func (w *walker) rewinder(br *bufio.Reader, r io.Reader) (func() (io.Reader, error), error) {
	if f, ok := r.(*os.File); ok && w.size > 0 {
		start, err := f.Seek(-int64(br.Buffered()), io.SeekCurrent)
		return func() (io.Reader, error) {
			_, err := f.Seek(start, io.SeekStart)
			return &contextReader{ctx: w.ctx, r: f}, err
		}, err
	}
	held, err := io.ReadAll(io.LimitReader(br, MaxHeldTable+1))
	if err == nil && len(held) > MaxHeldTable {
		err = fmt.Errorf("a table of more than %d MB that can be read only once: give a file", MaxHeldTable>>20)
	}
	return func() (io.Reader, error) { return bytes.NewReader(held), nil }, err
}

// start starts reading from the beginning, and reads the header row.
func (t *tableReader) start(rewind func() (io.Reader, error)) error {
	r, err := rewind()
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	in := utf8Table(bufio.NewReaderSize(r, headSize))
	head, _ := in.Peek(headSize) // the error comes again when the rows are read
	if bytes.IndexByte(head, '\n') < 0 && bytes.IndexByte(head, '\r') >= 0 {
		in = bufio.NewReaderSize(returns{in}, headSize)
		head, _ = in.Peek(headSize)
	}
	if what := notText(head); what != "" && !strings.HasPrefix(what, "not text") {
		return fmt.Errorf("%s: %s, and no table: write it as CSV", t.path, what)
	}
	comma, length := statedSeparator(head)
	t.before = 0
	if length > 0 {
		t.before = 1
		_, _ = in.Discard(length) // they are in its buffer
	} else {
		comma = separatorOf(head)
	}
	t.bound = rowBound{r: in, comma: byte(comma), limit: t.o.MaxBytes + 1<<20} // a text, and room for other cells
	t.parse()
	t.line, t.names = t.before+1, nil
	names, err := t.read()
	if err == io.EOF {
		return fmt.Errorf("%s: no header row with the names of the columns", t.path)
	}
	if err != nil {
		return t.wrong(err)
	}
	t.names = make([]string, len(names)) // names is used again
	for i, name := range names {
		t.names[i] = strings.ReplaceAll(cellText(name), "\n", " ") // a spreadsheet breaks long names
	}
	return nil
}

// parse makes a csv.Reader of what is left of the table.
func (t *tableReader) parse() {
	t.rows = csv.NewReader(&t.bound)
	t.rows.Comma = rune(t.bound.comma)
	t.rows.TrimLeadingSpace = t.rows.Comma != '\t' // a tab would be trimmed as space
	t.rows.ReuseRecord = true
	t.rows.FieldsPerRecord = -1 // read has better error messages
}

// cellText returns a cell that is not the text column: UTF-8 without white space at its ends.
func cellText(cell string) string { return strings.TrimSpace(decoded(cell)) }

func (t *tableReader) read() ([]string, error) {
	t.bound.next()
	row, err := t.rows.Read()
	parse, malformed := errors.AsType[*csv.ParseError](err)
	switch {
	case malformed:
		t.line = t.before + parse.StartLine
	case err != nil:
		return nil, err
	default:
		t.line, _ = t.rows.FieldPos(0)
		t.line += t.before
	}
	n := len(t.names)
	if t.bound.comma == '\t' && n > 1 && (malformed || t.severalRows()) {
		line := t.bound.only()
		t.before = t.line
		t.parse()
		row, malformed = unquoted(strings.Split(string(line), "\t")), false
	}
	switch {
	case malformed:
		return nil, err
	case n > 0 && len(row) != n:
		return nil, badValue("a row of %d below a header row of %d cells", len(row), n)
	case len(row) > maxColumns:
		return nil, badValue("more than %d columns: a document may have %d attributes beside class, text and id", maxColumns, maxAttributes)
	}
	return row, nil
}

// severalRows reports whether each line of the last row read has as many tabs as the header row:
// then quotes in the first and the last one do not enclose a cell.
func (t *tableReader) severalRows() bool {
	n := 0
	for line := range bytes.Lines(t.bound.row()) {
		if n++; bytes.Count(line, []byte("\t")) != len(t.names)-1 {
			return false
		}
	}
	return n > 1
}

// unquoted returns cells of which some have quotes where csv allows none: in a table parted by
// tabs they are often letters.
func unquoted(cells []string) []string {
	for i, c := range cells {
		if len(c) > 1 && c[0] == '"' && c[len(c)-1] == '"' {
			cells[i] = c[1 : len(c)-1]
		}
	}
	return cells
}

// looksValue reports whether the name of a column is a number, or long like a sentence.
func looksValue(name string) bool { return isDecimal(name) || wordsOf(name) >= textWords }

// each calls f with each row. It passes errors in rows to fail and continues; also errors
// of f that are about a row.
func (t *tableReader) each(f func(row []string) error, fail func(error)) error {
	for {
		row, err := t.read()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = f(row)
		}
		switch {
		case err == nil:
		case t.stopped == nil && (errors.As(err, new(*csv.ParseError)) || errors.As(err, new(valueError))):
			fail(t.wrong(err))
		default:
			return t.wrong(err)
		}
	}
}

// wrong adds the file and the row to err.
func (t *tableReader) wrong(err error) error {
	var parse *csv.ParseError
	switch {
	case t.stopped != nil:
		return err
	case errors.As(err, &parse) && parse.Line > parse.StartLine:
		err = fmt.Errorf("a quote that is not closed, or not where a cell ends: up to line %d all is left out; within quotes write a quote twice", t.before+parse.Line)
	case errors.As(err, &parse):
		err = errors.New("a quote that is not where a cell begins or ends: put the cell in quotes, and write each quote within it twice")
	}
	return fmt.Errorf("%s:%d: %w", t.path, t.line, err)
}

// give emits the document of a row.
func (t *tableReader) give(row []string) error {
	if !slices.ContainsFunc(row, func(cell string) bool { return cellText(cell) != "" }) {
		return nil // spreadsheets write such rows below the last one
	}
	d, err := t.document(row)
	if err != nil {
		return err
	}
	if d.ID == "" {
		key := rowKey(d)
		n, known := t.seen[key]
		if !known && len(t.seen) >= t.room {
			return fmt.Errorf("more than %d different rows without an id: give the table a column of ids", t.room)
		}
		d.Copy = int(n)
		t.seen[key] = n + 1
	}
	return t.emitText(d, t.path, t.line)
}

// rowKey returns a digest of a row without its class. It is short, since one is kept of
// each row. If two rows collide, which has a probability of 1 in 2^17 for the largest
// number of rows, one counts as a copy, and still is a document.
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
