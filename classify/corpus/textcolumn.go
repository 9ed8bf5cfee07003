package corpus

import (
	"hash/maphash"
	"slices"
	"strings"
	"unicode"
)

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
	AsText                 // the text, if no other column is
)

// Column is a column of strings and its use.
type Column struct {
	Path, Name string
	Use        Use // AsAttribute or AsText
	Cells      int // sampled cells with a value, at most 1,000, fewer in wide tables
	Different  int // different ones among Cells
}

// Differs reports whether there are many cells and almost all differ: as a category such
// a column says next to nothing about other rows.
func (c *Column) Differs() bool {
	return c.Cells >= manyCells && float64(c.Different) >= distinctShare*float64(c.Cells)
}

// sample counts cells of a column that are not missing.
type sample struct {
	cells, words int
	different    map[uint64]struct{}
}

var sampleSeed = maphash.MakeSeed()

// add adds another cell, unless the sample has most already.
func (s *sample) add(cell string, most int) {
	if s.cells >= most {
		return
	}
	if s.different == nil {
		s.different = map[uint64]struct{}{}
	}
	s.cells++
	s.words += wordsOf(cell)
	s.different[maphash.String(sampleSeed, cell)] = struct{}{}
}

// isText reports whether the cells are texts.
func (s *sample) isText() bool {
	return s.cells > 0 && float64(len(s.different)) >= distinctShare*float64(s.cells) && s.words >= textWords*s.cells
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

// findText chooses the text column if the table has none: the column that o.Use says, or
// the only undecided one whose cells are texts. It reports the use of each column of
// strings to o.
func (t *tableReader) findText(o *Options) {
	found := -1
	if t.text < 0 && !o.NoTexts && o.Use != nil {
		if found = t.only(func(c *column) bool { return o.Use(c.name) == AsText }); found < 0 {
			found = t.only(func(c *column) bool { return o.Use(c.name) == Undecided && c.sample.isText() })
		}
	}
	for i := range t.columns {
		c := &t.columns[i]
		use := AsAttribute
		if i == found {
			use, t.text = AsText, c.at
		}
		if c.look == words && o.Decided != nil {
			o.Decided(Column{t.path, c.name, use, c.sample.cells, len(c.sample.different)})
		}
	}
	if found >= 0 {
		t.columns = slices.Delete(t.columns, found, found+1)
	}
}

// only returns the index of the one column of strings for which f is true, -1 if there
// is none or more than one.
func (t *tableReader) only(f func(*column) bool) int {
	found := -1
	for i := range t.columns {
		if c := &t.columns[i]; c.look != words || !f(c) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}
