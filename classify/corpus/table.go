package corpus

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

type table struct {
	names     []string
	class, id int      // indices of these columns, -1 for none
	texts     []int    // indices of the columns with a text
	columns   []column // the others, in order of name
}

// column is a column of a table that is an attribute.
type column struct {
	Column
	at            int
	look          look // of all cells together; missing if all are missing
	forms         form // of its numbers
	different     map[uint64]struct{}
	before, steps int // the last sampled number, and how many are one more than that before them
}

// header determines the role of each column.
func (t *table) header(o *Options) error {
	for i, name := range t.names {
		if name != "" && slices.Contains(t.names[:i], name) {
			return fmt.Errorf("two columns are called %.40q: give them different names", name)
		}
	}
	var err error
	if t.class, t.texts, t.id, err = o.roles(t.names); err != nil {
		return err
	}
	for i, name := range t.names {
		if name != "" && i != t.class && i != t.id && !slices.Contains(t.texts, i) {
			t.columns = append(t.columns, column{Column: Column{Name: name}, at: i})
		}
	}
	slices.SortFunc(t.columns, func(a, b column) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// roles returns the indices of the class, the texts and the id among the names of columns, or
// of the keys of a JSON object; -1 if there is none, or if none is set.
func (o *Options) roles(names []string) (class int, texts []int, id int, err error) {
	class, err = role(names, o.ClassColumn, o.Usual.Class, "class", o.NoClasses)
	for _, asked := range o.TextColumns {
		at := -1
		if err == nil {
			at, err = role(names, asked, nil, "text", o.NoTexts)
		}
		texts = add(texts, at)
	}
	if err == nil {
		id, err = role(names, o.IDColumn, o.Usual.ID, "id", o.NoIDs)
	}
	if err == nil && (class >= 0 && (class == id || slices.Contains(texts, class)) || slices.Contains(texts, id)) {
		err = errors.New("one column cannot be two of class, text and id: name another")
	}
	if len(o.TextColumns) == 0 && !o.NoTexts {
		for _, usual := range o.Usual.Texts {
			if at := find(names, usual); at != class && at != id {
				texts = add(texts, at)
			}
		}
		if at := find(names, "text"); texts == nil && at != class && at != id {
			texts = add(texts, at)
		}
	}
	slices.SortFunc(texts, func(a, b int) int { return strings.Compare(names[a], names[b]) }) // keys have any order
	return class, texts, id, err
}

// add adds an index unless it is there or negative.
func add(to []int, at int) []int {
	if at < 0 || slices.Contains(to, at) {
		return to
	}
	return append(to, at)
}

func joined(texts []string) []byte {
	return []byte(strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), "\n"))
}

// role returns the index of the requested column, or else of the first usual one, or the standard
// one. If one is requested there must be one.
func role(names []string, asked string, usual []string, standard string, none bool) (int, error) {
	if none {
		return -1, nil
	}
	if asked == "" || asked == standard {
		for _, name := range usual {
			if at := find(names, name); at >= 0 {
				return at, nil
			}
		}
	}
	at := find(names, cmp.Or(asked, standard))
	if at < 0 && asked != "" {
		return at, &NoColumnError{Asked: append(slices.Clone(usual), asked)[0], For: standard, Columns: slices.Clone(names)}
	}
	return at, nil
}

// find returns the index of a name, or else of one that differs in case; -1 if there is none.
func find(names []string, name string) int {
	if at := slices.Index(names, name); at >= 0 {
		return at
	}
	return slices.IndexFunc(names, func(other string) bool { return strings.EqualFold(other, name) })
}

// NoColumnError says that a table or a JSON object lacks a requested column or key.
type NoColumnError struct {
	Asked   string
	For     string   // its role: class, text or id
	Columns []string // those that there are, in their order
}

// Error lists the columns, the first ten if there are many.
func (e *NoColumnError) Error() string {
	const few = 10
	var list []string
	for _, name := range e.Columns[:min(few, len(e.Columns))] {
		list = append(list, fmt.Sprintf("%.40q", name))
	}
	if more := len(e.Columns) - few; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("no column %.40q for the %s: there are %s", e.Asked, e.For, cmp.Or(strings.Join(list, ", "), "none"))
}

// look updates the looks of the columns with a row.
func (t *tableReader) look(row []string) {
	sampled := min(sampledCells, allSampled/max(len(t.columns), 1))
	for i := range t.columns {
		c := &t.columns[i]
		c.sees(cellText(row[c.at]), t.bound.comma, t.line, sampled)
	}
}

func (t *tableReader) document(row []string) (*Document, error) {
	cell := func(at int) string {
		if at < 0 {
			return ""
		}
		return row[at]
	}
	texts := make([]string, len(t.texts))
	for i, at := range t.texts {
		texts[i] = row[at]
	}
	d := &Document{Class: cellText(cell(t.table.class)), ID: cellText(cell(t.id)), Content: joined(texts), Row: true}
	for i := range t.columns {
		c := &t.columns[i]
		written := cellText(row[c.at])
		read, _ := numeral(written, t.bound.comma)
		value, err := c.value(read)
		if err != nil {
			return nil, err
		}
		if pointed := strings.Replace(written, ",", ".", 1); t.bound.comma == ';' && isDecimal(pointed) {
			written = pointed // as in the ids and categories of rows that earlier programs learned
		}
		if value != nil {
			d.Attributes = append(d.Attributes, Attribute{Name: c.Name, Value: value, Text: written})
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

// separatorOf determines the column separator from the header row: a tab, or else a comma, a
// semicolon or a bar, if it has one. Names of columns have no tab.
func separatorOf(head []byte) rune {
	var names []byte // what is not in quotes
	for i, part := range bytes.Split(bytes.TrimLeft(head, "\r\n"), []byte(`"`)) {
		line, _, ends := bytes.Cut(part, []byte("\n"))
		if i%2 == 0 {
			names = append(names, line...)
		}
		if i%2 == 0 && ends {
			break
		}
	}
	for _, c := range []byte("\t,;|") {
		if bytes.IndexByte(names, c) >= 0 {
			return rune(c)
		}
	}
	return ','
}

// Figured reports whether most cells may be numbers or dates as people write them, in so many
// ways that as a category the column says little.
func (c *Column) Figured() bool {
	return 2*c.Figures > c.Sampled && (2*c.Different > c.Sampled || c.Different > manyCells)
}

// form is a set of ways of writing numbers.
type form int

const (
	comma   form = 1 << iota // a decimal comma: 24,92
	commaOr                  // one that may as well part thousands: 1,250
	commas                   // commas that part thousands
	point                    // and so for points
	pointOr
	points
	hundreds  // no mark, and at most three digits
	thousands // no mark, and more digits
	code      // digits after a 0, or more than a float64 keeps
)

func (f form) has(any form) bool { return f&any != 0 }

// clash reports whether a mark is decimal in some numbers, and parts thousands in others.
func (f form) clash() bool {
	return f.has(commas) && f.has(comma|commaOr) || f.has(points) && f.has(point|pointOr)
}

// use returns the use of a column of numbers, Undecided where nothing speaks against these.
func (f form) use() Use {
	switch {
	case f.has(code):
		return AsCodes
	case f.has(commaOr) && !f.has(comma|thousands) && f.has(point|hundreds),
		f.has(pointOr) && !f.has(point|thousands) && f.has(comma|hundreds):
		return AsDecimals
	}
	return Undecided
}

var (
	// decimals are the forms of numbers with a decimal mark.
	decimals = map[rune]form{',': comma, '.': point}
	// signs are what may stand around the digits of a number, #, with the sign that strconv reads.
	signs = map[string]string{"#": "", "+#": "+", "-#": "-", "−#": "-", "(#)": "-", "#-": "-"}
)
