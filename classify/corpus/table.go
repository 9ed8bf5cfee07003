package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// table describes the columns of a table.
type table struct {
	names           []string
	class, text, id int      // indices of these columns, -1 for none
	columns         []column // the others, in order of name
}

// column is a column of a table that is an attribute.
type column struct {
	name string
	at   int
	look look // of all cells together; missing if all are missing

	sample         sample
	cells, numbers int    // number of cells with a value, and of numbers among them
	other          string // the first cell that is no number
	line           int    // of that
}

// header determines the role of each column.
func (t *table) header(o *Options) error {
	seen := make(map[string]bool, len(t.names))
	for i, name := range t.names {
		switch {
		case name == "":
			return fmt.Errorf("column %d has no name: give it one in the header row", i+1)
		case seen[name]:
			return fmt.Errorf("two columns are called %.40q: give them different names in the header row", name)
		}
		seen[name] = true
	}
	var err error
	if t.class, err = t.find(o.ClassColumn, o.Usual.Class, "class", o.NoClasses); err != nil {
		return err
	}
	if t.text, err = t.find(o.TextColumn, o.Usual.Text, "text", o.NoTexts); err != nil {
		return err
	}
	if t.id, err = t.find(o.IDColumn, o.Usual.ID, "id", o.NoIDs); err != nil {
		return err
	}
	if t.class >= 0 && (t.class == t.text || t.class == t.id) || t.text >= 0 && t.text == t.id {
		return errors.New("one column cannot be two of class, text and id: name another")
	}
	for i, name := range t.names {
		if i != t.class && i != t.text && i != t.id {
			t.columns = append(t.columns, column{name: name, at: i})
		}
	}
	slices.SortFunc(t.columns, func(a, b column) int { return strings.Compare(a.name, b.name) })
	return nil
}

// find returns the index of the requested column, which must exist, or else of the usual or
// the default one; -1 if there is none, or if none is set.
func (t *table) find(asked, usual, standard string, none bool) (int, error) {
	switch {
	case none:
		return -1, nil
	case (asked == "" || asked == standard) && usual != "" && slices.Contains(t.names, usual):
		return slices.Index(t.names, usual), nil
	case asked == "":
		return slices.Index(t.names, standard), nil
	}
	at := slices.Index(t.names, asked)
	if at < 0 {
		return at, &NoColumnError{Asked: asked, For: standard, Columns: slices.Clone(t.names)}
	}
	return at, nil
}

// NoColumnError says that a table lacks a requested column.
type NoColumnError struct {
	Asked   string
	For     string   // its role: class, text or id
	Columns []string // columns of the table, in their order
}

// Error lists the columns, the first ten if there are many.
func (e *NoColumnError) Error() string {
	text := fmt.Sprintf("no column %.40q for the %s", e.Asked, e.For)
	if name := e.Alike(); name != "" {
		text += fmt.Sprintf(", but %.40q", name)
	}
	return text + ": the columns are " + someOf(e.Columns)
}

// Alike returns the column whose name differs from the requested one only in case, "" if
// there is none.
func (e *NoColumnError) Alike() string {
	if at := slices.IndexFunc(e.Columns, func(name string) bool { return strings.EqualFold(name, e.Asked) }); at >= 0 {
		return e.Columns[at]
	}
	return ""
}

// someOf lists names, the first few if there are many.
func someOf(names []string) string {
	const few = 10
	var list []string
	for _, name := range names[:min(len(names), few)] {
		list = append(list, fmt.Sprintf("%.40q", name))
	}
	if more := len(names) - few; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, ", ")
}

// Mixed is a column of strings in a table that would be numeric without some cells: at
// least half of its cells with a value are numbers.
type Mixed struct {
	Path, Column   string
	Numbers, Cells int    // numbers, and cells with a value
	Other          string // the first cell that is not a number, at most 200 bytes of it
	Line           int    // the first line of its row
}

// look updates the looks of the columns with a row.
func (t *tableReader) look(row []string) {
	sampled := min(sampledCells, allSampled/max(len(t.columns), 1))
	for i := range t.columns {
		c := &t.columns[i]
		c.sees(cellText(row[c.at]), t.line, sampled)
	}
}

// tellMixed calls f, unless nil, with each mixed column.
func (t *tableReader) tellMixed(f func(Mixed)) {
	for i := range t.columns {
		c := &t.columns[i]
		if f != nil && c.look == words && 2*c.numbers >= c.cells {
			f(Mixed{Path: t.path, Column: c.name, Numbers: c.numbers, Cells: c.cells, Other: c.other, Line: c.line})
		}
	}
}

// document makes a document of a row.
func (t *table) document(row []string) (*Document, error) {
	cell := func(at int) string {
		if at < 0 {
			return ""
		}
		return row[at]
	}
	d := &Document{Class: cellText(cell(t.class)), ID: cellText(cell(t.id)), Content: []byte(cell(t.text)), Row: true}
	for i := range t.columns {
		c := &t.columns[i]
		written := cellText(row[c.at])
		value, err := c.value(written)
		if err != nil {
			return nil, err
		}
		if value != nil {
			d.Attributes = append(d.Attributes, Attribute{Name: c.name, Value: value, Text: written})
		}
	}
	return d, nil
}

// statedSeparator reads a first line "sep=;", by which spreadsheets state the column
// separator. It returns the separator and the length of the line, 0 if it is not such a line.
func statedSeparator(head []byte) (rune, int) {
	line, _, ended := bytes.Cut(head, []byte("\n"))
	sep, found := bytes.CutPrefix(bytes.TrimSuffix(line, []byte("\r")), []byte("sep="))
	if !found || !ended || len(sep) != 1 || bytes.IndexByte([]byte(",;\t|"), sep[0]) < 0 {
		return 0, 0
	}
	return rune(sep[0]), len(line) + 1
}

// separatorOf determines the column separator from the beginning of a table: a comma,
// unless the header row has none and has semicolons or else tabs.
func separatorOf(head []byte) rune {
	found := map[byte]bool{}
	quoted := false
	for _, c := range bytes.TrimLeft(head, "\r\n") {
		if c == '"' {
			quoted = !quoted
		}
		if c == '\n' && !quoted {
			break
		}
		if !quoted {
			found[c] = true
		}
	}
	for _, c := range []byte(",;\t") {
		if found[c] {
			return rune(c)
		}
	}
	return ','
}
