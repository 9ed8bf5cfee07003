package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// table is what the columns of a table are.
type table struct {
	max             int64 // bytes of a text
	names           []string
	class, text, id int      // places of these columns, -1 where there is none
	columns         []column // the others, in order of name
}

// column is a column of a table that is an attribute.
type column struct {
	name string
	at   int
	look look // of all cells together; missing if none says anything

	sample         sample
	cells, numbers int    // that say something, and those of them that are numbers
	other          string // the first cell that is no number
	line           int    // of that
}

// header finds out what each column is for.
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
	if t.class, err = t.find(o.ClassColumn, "class", o.NoClasses); err != nil {
		return err
	}
	if t.text, err = t.find(o.TextColumn, "text", o.NoTexts); err != nil {
		return err
	}
	if t.id, err = t.find(o.IDColumn, "id", o.NoIDs); err != nil {
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

// find is the place of a column that was asked for, which must be there, or else of
// the one that is it by default, -1 if there is none, or is to be none.
func (t *table) find(asked, standard string, none bool) (int, error) {
	switch {
	case none:
		return -1, nil
	case asked == "":
		return slices.Index(t.names, standard), nil
	}
	at := slices.Index(t.names, asked)
	if at < 0 {
		return at, &NoColumnError{Asked: asked, For: standard, Columns: slices.Clone(t.names)}
	}
	return at, nil
}

// NoColumnError says that a table lacks a column that was asked for.
type NoColumnError struct {
	Asked   string
	For     string   // what it was to be: class, text or id
	Columns []string // that the table has, in their order
}

// Error lists the columns, the first ten if there are many.
func (e *NoColumnError) Error() string {
	text := fmt.Sprintf("no column %.40q for the %s", e.Asked, e.For)
	if name := e.Alike(); name != "" {
		text += fmt.Sprintf(", but %.40q", name)
	}
	return text + ": the columns are " + someOf(e.Columns)
}

// Alike is the column whose name differs from that asked for only in case, empty if
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

// Mixed is a column of a table that would be one of numbers but for some cells, and so
// is one of strings: at least half of its cells that say something are numbers.
type Mixed struct {
	Path, Column   string
	Numbers, Cells int    // numbers, and cells that say something
	Other          string // the first cell that is no number, at most 200 bytes of it
	Line           int    // where the row of that begins
}

// look looks at a row for what its columns are.
func (t *tableReader) look(row []string) {
	sampled := min(sampledCells, allSampled/max(len(t.columns), 1))
	for i := range t.columns {
		c := &t.columns[i]
		c.sees(cellText(row[c.at]), t.line, sampled)
	}
}

// tellMixed calls f, unless nil, with each column that is mixed.
func (t *tableReader) tellMixed(f func(Mixed)) {
	for i := range t.columns {
		c := &t.columns[i]
		if f != nil && c.look == words && 2*c.numbers >= c.cells {
			f(Mixed{Path: t.path, Column: c.name, Numbers: c.numbers, Cells: c.cells, Other: c.other, Line: c.line})
		}
	}
}

// document makes a document of a row, and reports whether its text was cut.
func (t *table) document(row []string) (d *Document, cut bool, err error) {
	cell := func(at int) string {
		if at < 0 {
			return ""
		}
		return row[at]
	}
	text := cell(t.text)
	d = &Document{
		Class:   cellText(cell(t.class)),
		ID:      cellText(cell(t.id)),
		Content: []byte(text[:min(int64(len(text)), t.max)]),
	}
	d.Format = detectSingle(d.Content[:min(len(d.Content), headSize)])
	for i := range t.columns {
		c := &t.columns[i]
		written := cellText(row[c.at])
		value, err := c.value(written)
		if err != nil {
			return nil, false, err
		}
		if value != nil {
			d.Attributes = append(d.Attributes, Attribute{Name: c.name, Value: value, Text: written})
		}
	}
	return d, int64(len(text)) > t.max, nil
}

// statedSeparator reads a first line "sep=;", which spreadsheets write and read to say
// what parts the columns: the separator, and the length of the line, 0 if it is not one.
func statedSeparator(head []byte) (rune, int) {
	line, _, ended := bytes.Cut(head, []byte("\n"))
	sep, found := bytes.CutPrefix(bytes.TrimSuffix(line, []byte("\r")), []byte("sep="))
	if !found || !ended || len(sep) != 1 || bytes.IndexByte([]byte(",;\t|"), sep[0]) < 0 {
		return 0, 0
	}
	return rune(sep[0]), len(line) + 1
}

// separatorOf tells from the beginning of a table what parts its columns: commas,
// unless the header row has none, and has semicolons or else tabs.
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
