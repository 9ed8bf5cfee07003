package corpus

import (
	"hash/maphash"
	"slices"
	"strconv"
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
	AsText                 // a text
	Alone                  // Undecided, and the text where no other column is
	AsDecimals             // numbers, though their mark may part thousands, as far as they show
	AsCodes                // numbers, though their digits look like those of codes
	AsSequence             // numbers, though each is one more than that of the row before
)

// Column is a column of strings, or of numbers that may be misread, and its use.
type Column struct {
	Path, Name string
	Use        Use      // AsAttribute or AsText; AsDecimals, AsCodes or AsSequence of numbers
	Texts      []string // the columns of its table that are texts
	Cells      int      // with a value
	Numbers    int      // numbers among Cells
	Figures    int      // sampled ones of few words with a digit near the beginning, as 5.0 kg
	Other      string   // the first cell that is not a number, or may be misread; at most 200 bytes of it
	Line       int      // the first line of its row
	Sampled    int      // sampled cells with a value, at most 1,000, fewer in wide tables
	Different  int      // different ones among Sampled
	words      int      // in the sampled cells
}

// Mixed reports whether at least half of the cells are numbers: without the others the column
// would be one of numbers.
func (c *Column) Mixed() bool { return 2*c.Numbers >= c.Cells }

func (c *Column) distinct() bool { return float64(c.Different) >= distinctShare*float64(c.Sampled) }

func (c *Column) sentences() bool { return c.words >= textWords*c.Sampled }

// Differs reports whether there are many cells and almost all differ, or most of sentences: as a
// category such a column says little about other rows.
func (c *Column) Differs() bool {
	return c.Sampled >= manyCells && (c.distinct() || c.sentences() && 2*c.Different > c.Sampled)
}

var sampleSeed = maphash.MakeSeed()

// sampled counts a cell as one of the sample.
func (c *column) sampled(cell string) {
	if c.different == nil {
		c.different = map[uint64]struct{}{}
	}
	c.different[maphash.String(sampleSeed, cell)] = struct{}{}
	at, err := strconv.Atoi(cell)
	if err == nil && at == c.before+1 {
		c.steps++
	}
	c.before = at
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
		case use != AsAttribute && c.Sampled > 0 && c.distinct() && c.sentences():
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
			if c.Sampled >= manyCells && c.steps >= c.Sampled-1 {
				c.Use = AsSequence
			}
		}
		if o.Decided != nil && (c.look == words || c.Use > Alone) {
			o.Decided(c.Column)
		}
		return c.Use == AsText
	})
}
