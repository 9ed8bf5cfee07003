package corpus

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// table describes the columns of a table.
type table struct {
	names     []string
	class, id int      // indices of these columns, -1 for none
	texts     []int    // indices of the columns with a text
	columns   []column // the others, in order of name
}

// column is a column of a table that is an attribute.
type column struct {
	Column
	at        int
	look      look // of all cells together; missing if all are missing
	forms     form // of its numbers
	words     int  // in the sampled cells
	different map[uint64]struct{}
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

// joined returns texts as one.
func joined(texts []string) []byte {
	return []byte(strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), "\n"))
}

// role returns the index of the requested column, which must exist, or else of the first
// usual one, or the standard one.
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
		return at, &NoColumnError{Asked: asked, For: standard, Columns: slices.Clone(names)}
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

// document makes a document of a row.
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

// A column of strings is texts if almost all cells differ, and they are sentences rather
// than names.
const (
	sampledCells  = 1000    // cells of a column that are compared, in a table of few columns,
	allSampled    = 1 << 18 // and of all columns together: they take 4 to 10 MB
	distinctShare = .9      // of the sampled cells that differ
	textWords     = 4       // in the mean cell
	manyCells     = 20      // fewer differing cells prove nothing
)

// Use selects how a column of strings is read.
type Use int

// The uses of a column.
const (
	Undecided   Use = iota // it depends on its cells
	AsAttribute            // a category
	AsText                 // a text
	Alone                  // Undecided, and the text where no other column is
	AsDecimals             // numbers, though their mark may part thousands, as far as they show
	AsCodes                // numbers, though their digits look like those of codes
)

// Column is a column of strings, or of numbers that may be misread, and its use.
type Column struct {
	Path, Name string
	Use        Use      // AsAttribute or AsText; AsDecimals or AsCodes of numbers
	Texts      []string // the columns of its table that are texts
	Cells      int      // with a value
	Numbers    int      // numbers among Cells
	Figures    int      // sampled ones of few words with a digit near the beginning, as 5.0 kg
	Other      string   // the first cell that is not a number, or may be misread; at most 200 bytes of it
	Line       int      // the first line of its row
	Sampled    int      // sampled cells with a value, at most 1,000, fewer in wide tables
	Different  int      // different ones among Sampled
}

// Mixed reports whether at least half of the cells are numbers: without the others the column
// would be one of numbers.
func (c *Column) Mixed() bool { return 2*c.Numbers >= c.Cells }

// Figured reports whether most cells may be numbers or dates as people write them, in so many
// ways that as a category the column says little.
func (c *Column) Figured() bool {
	return 2*c.Figures > c.Sampled && (2*c.Different > c.Sampled || c.Different > manyCells)
}

func (c *Column) distinct() bool { return float64(c.Different) >= distinctShare*float64(c.Sampled) }

// Differs reports whether there are many cells and almost all differ: as a category such
// a column says next to nothing about other rows.
func (c *Column) Differs() bool {
	return c.Sampled >= manyCells && c.distinct()
}

var sampleSeed = maphash.MakeSeed()

// sampled counts a cell as one of the sample.
func (c *column) sampled(cell string) {
	if c.different == nil {
		c.different = map[uint64]struct{}{}
	}
	c.different[maphash.String(sampleSeed, cell)] = struct{}{}
	n := wordsOf(cell)
	c.Sampled, c.Different, c.words = c.Sampled+1, len(c.different), c.words+n
	if at := strings.IndexAny(cell, "0123456789"); at >= 0 && at < 5 && n < textWords {
		c.Figures++
	}
}

// wordsOf returns the approximate number of words of a cell: two characters count as one
// in scripts without spaces.
func wordsOf(cell string) int {
	n := 0
	for _, r := range cell {
		if r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
			n++
		}
	}
	return len(strings.Fields(cell)) + n/2
}

// findTexts chooses text columns if the table has none, as Options.Use says, and reports the
// use of each column of strings to o.
func (t *tableReader) findTexts(o *Options) {
	var said, look, alone []int // places of columns
	for i := range t.columns {
		c := &t.columns[i]
		if c.look != words || o.Use == nil || o.NoTexts || len(t.texts) > 0 {
			continue
		}
		switch use := o.Use(c.Name); {
		case use == AsText:
			said = append(said, c.at)
		case use != AsAttribute && c.Sampled > 0 && c.distinct() && c.words >= textWords*c.Sampled:
			look = append(look, c.at)
		case use == Alone:
			alone = append(alone, c.at)
		}
	}
	if len(alone) > 1 {
		alone = nil
	}
	for _, found := range [][]int{said, look, alone} {
		if t.texts == nil {
			t.texts = found
		}
	}
	texts := make([]string, len(t.texts))
	for i, at := range t.texts {
		texts[i] = t.names[at]
	}
	t.columns = slices.DeleteFunc(t.columns, func(c column) bool {
		c.Path, c.Use, c.Texts = t.path, AsAttribute, texts
		if slices.Contains(t.texts, c.at) {
			c.Use = AsText
		}
		if c.look == number {
			c.Use = c.forms.use()
		}
		if o.Decided != nil && (c.look == words || c.Use > Alone) {
			o.Decided(c.Column)
		}
		return c.Use == AsText
	})
}

// look is the kind of value that a cell of a table looks like.
type look int

const (
	missing look = iota
	number
	yesNo
	words
)

// lookOf returns the look of a cell without white space at its ends. A cell in the form
// of a number that cannot be counted, such as 1e999 or inf, is a number: it does not turn
// a column of numbers into one of strings.
func lookOf(cell string) look {
	switch strings.ToLower(cell) {
	case "", "?", "-", "na", "n/a", "nan", "none", "null":
		return missing
	case "yes", "no", "true", "false":
		return yesNo
	case "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity":
		return number
	}
	if isDecimal(cell) {
		return number
	}
	return words
}

// isDecimal reports whether s is a number as spreadsheets write it: digits, perhaps with
// a sign, a point and an exponent. strconv.ParseFloat reads more than that.
func isDecimal(s string) bool {
	if strings.Trim(s, "0123456789+-.eE") != "" {
		return false
	}
	_, err := strconv.ParseFloat(s, 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
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

// numeral returns a number that has a decimal comma, parted thousands, a minus as bookkeepers write
// it, or the sign of a currency or % at an end, as strconv reads it; any other cell as it is. A comma
// is decimal in a table parted by semicolons. In others it is where it cannot part thousands, but
// between commas only before two or three digits; where it can, it does between commas alone.
func numeral(cell string, separator byte) (string, form) {
	const digits, longest = ".,0123456789", 32 // bytes before and after them, as in "(−€   4.00)"
	start, end := strings.IndexAny(cell, digits), strings.LastIndexAny(cell, digits)+1
	if start < 0 || start > longest || len(cell)-end > longest {
		return cell, 0
	}
	sign, known := signs[strings.Map(func(r rune) rune {
		if r == '%' || unicode.In(r, unicode.Sc, unicode.Zs) {
			return -1
		}
		return r
	}, cell[:start]+"#"+cell[end:])]
	whole, mark, fraction := cell[start:end], rune(0), ""
	if at := strings.LastIndexAny(whole, ".,"); at >= 0 {
		whole, mark, fraction = whole[:at], rune(whole[at]), whole[at+1:]
	}
	f := decimals[mark]
	parted := strings.IndexFunc(whole, func(r rune) bool { return r < '0' || r > '9' })
	either := parted < 0 && len(fraction) == 3 && strings.Trim(fraction, "0123456789") == "" && len(whole) > 0 && len(whole) < 4 && whole[0] != '0'
	switch {
	case mark == 0 && parted > 0 && whole[parted]|0x20 == 'e': // 1e5
	case parted >= 0:
		by, _ := utf8.DecodeRuneInString(whole[parted:])
		groups := strings.Split(whole, string(by))
		if by == mark { // 1,234,567
			groups, mark, f = append(groups, fraction), 0, 0
		}
		known = known && parted > 0 && parted < 4 && strings.ContainsRune(".,'’   ", by) && (mark != 0 || by != ' ') &&
			!slices.ContainsFunc(groups[1:], func(s string) bool { return len(s) != 3 })
		whole, f = strings.Join(groups, ""), f|decimals[by]<<2
	case f == comma && either && separator == ',':
		whole, mark, f = whole+fraction, 0, commas
	case f == comma && separator != ';' && (either || separator != '\t' && len(fraction) != 2 && len(fraction) != 3):
		known = false
	case f == point && either && separator == ';': // where decimals usually have commas
		f = pointOr | hundreds
	case either:
		f <<= 1
	case mark == 0 && (len(whole) > 15 || len(whole) > 1 && whole[0] == '0'):
		f = code
	case mark == 0 && len(whole) > 3:
		f = thousands
	case mark == 0:
		f = hundreds
	}
	if mark != 0 {
		whole += "." + fraction
	}
	if number := sign + whole; known && (number == cell || isDecimal(number)) {
		return number, f
	}
	return cell, 0
}

// sees updates the look of a column with another cell, in the row of this line. sampled
// cells are sampled.
func (c *column) sees(cell string, separator byte, line, sampled int) {
	read, f := numeral(cell, separator)
	l := lookOf(read)
	if l == missing {
		return
	}
	if c.Sampled < sampled {
		c.sampled(read)
	}
	first := c.Cells == c.Numbers // that is no number
	if l == number && !(c.forms | f).clash() {
		first = c.Other == "" && f.has(commaOr|pointOr|code)
		c.Numbers, c.forms = c.Numbers+1, c.forms|f
	} else if l == number {
		l = words
	}
	if c.Cells++; first {
		c.Other, c.Line = strings.Clone(cell[:min(len(cell), maxShown)]), line
	}
	if c.look == missing {
		c.look = l
	} else if c.look != l {
		c.look = words
	}
}

// maxShown is how much of a cell is kept for messages: each column may keep one, from a
// row of any allowed length.
const maxShown = 200

// valueError is an error about values in a line or row that can be read.
type valueError string

func (e valueError) Error() string { return string(e) }

func badValue(format string, args ...any) error { return valueError(fmt.Sprintf(format, args...)) }

// value returns the value of a cell, nil if it has none.
func (c *column) value(cell string) (any, error) {
	l := lookOf(cell)
	switch {
	case l != missing && c.look == words:
		return cell, nil
	case l != missing && l != c.look:
		return nil, badValue("column %.40q: %.40q was not there before: the file changes while it is read", c.Name, cell)
	}
	v, err := l.value(cell)
	if err != nil {
		return nil, badValue("column %.40q: %v", c.Name, err)
	}
	return v, nil
}

// Value reads one cell by its own look: a float64, a bool or a string, or nil for a
// missing value. The error is for a number that cannot be counted.
func Value(cell string) (any, error) {
	cell = strings.TrimSpace(cell)
	return lookOf(cell).value(cell)
}

// value returns the value of a cell that looks so.
func (l look) value(cell string) (any, error) {
	switch l {
	case missing:
		return nil, nil
	case words:
		return cell, nil
	case yesNo:
		return strings.EqualFold(cell, "yes") || strings.EqualFold(cell, "true"), nil
	}
	x, err := strconv.ParseFloat(cell, 64)
	if err != nil || math.IsInf(x, 0) {
		return nil, fmt.Errorf("%.40s is beyond the numbers that can be counted", cell)
	}
	return x, nil
}
