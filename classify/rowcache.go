package classify

import (
	"github.com/polya-classifier/polya/classify/internal/layer"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// rowCache reads a Snapshot for documents that have most of their terms in common: it keeps
// what was read of a term, but no levels, for the next document that has it.
type rowCache struct {
	*store.Snapshot
	terms   layer.Terms
	shared  bool        // a Layer needs the numbers, and bounds how many there are
	numbers []uint32    // of the terms that were asked for last
	rows    []cachedRow // by number
	cells   []cachedCell
	missing []count.TermCount // memory of read, and their numbers
	at      []uint32
	near    uint64 // keeps the compiler from leaving out what AppendRows touches
}

// cachedRow has the cells from first to end. A term that no class has has none.
type cachedRow struct {
	first, end uint32
	known      bool
}

// cachedCell is a count.Cell without levels.
type cachedCell struct {
	class     int
	df, tf, w uint64
}

// A rowCache begins anew when it has mostCachedCells, which take 32 MB, or mostCachedTerms.
const (
	mostCachedCells = 1 << 20
	mostCachedTerms = 1 << 20
)

// number sets c.numbers to the numbers of terms.
func (c *rowCache) number(terms []count.TermCount) {
	if !c.shared && c.terms.Len() > mostCachedTerms {
		c.terms = layer.Terms{}
		c.forget()
	}
	c.numbers = c.terms.Numbers(c.numbers[:0], terms)
	for len(c.rows) < c.terms.Len() {
		c.rows = append(c.rows, cachedRow{})
	}
}

// forget forgets all rows.
func (c *rowCache) forget() { c.rows, c.cells = c.rows[:0], c.cells[:0] }

// AppendRows implements model.Reader.
func (c *rowCache) AppendRows(memory []count.Cell, terms []count.TermCount, levels bool, f func(i int, cells []count.Cell) error) ([]count.Cell, error) {
	if c.number(terms); levels {
		return c.Snapshot.AppendRows(memory, terms, levels, f)
	}
	if err := c.read(terms); err != nil {
		return memory, err
	}
	for _, number := range c.numbers { // to memory for all terms at once, as a store does
		if row := c.rows[number]; row.first < row.end {
			c.near |= c.cells[row.first].w
		}
	}
	for i, number := range c.numbers {
		row := c.rows[number]
		if row.first == row.end {
			continue
		}
		first := len(memory)
		for _, cell := range c.cells[row.first:row.end] {
			memory = append(memory, count.Cell{Class: cell.class, DF: cell.df, TF: cell.tf, W: cell.w})
		}
		if err := f(i, memory[first:len(memory):len(memory)]); err != nil {
			return memory, err
		}
	}
	return memory, nil
}

// read reads the rows of terms, numbered already, that are not known.
func (c *rowCache) read(terms []count.TermCount) error {
	if len(c.cells) > mostCachedCells {
		c.forget()
		c.number(terms)
	}
	c.missing, c.at = c.missing[:0], c.at[:0]
	for i, number := range c.numbers {
		if row := &c.rows[number]; !row.known {
			first := uint32(len(c.cells))
			*row = cachedRow{first, first, true}
			c.missing, c.at = append(c.missing, terms[i]), append(c.at, number)
		}
	}
	if len(c.missing) == 0 {
		return nil
	}
	return c.Rows(c.missing, false, func(i int, cells []count.Cell) error {
		row := &c.rows[c.at[i]]
		row.first = uint32(len(c.cells))
		for k := range cells {
			c.cells = append(c.cells, cachedCell{cells[k].Class, cells[k].DF, cells[k].TF, cells[k].W})
		}
		row.end = uint32(len(c.cells))
		return nil
	})
}

// frequencies returns by number in how many documents each term is.
func (c *rowCache) frequencies() ([]uint64, error) {
	df := make([]uint64, c.terms.Len())
	for i, row := range c.rows {
		for _, cell := range c.cells[row.first:row.end] {
			df[i] += cell.df
		}
	}
	const batch = 1 << 12
	for from := 0; from < len(df); {
		c.missing, c.at = c.missing[:0], c.at[:0]
		for ; from < len(df) && len(c.missing) < batch; from++ {
			if from >= len(c.rows) || !c.rows[from].known {
				c.missing, c.at = append(c.missing, count.TermCount{Term: c.terms.Term(from), N: 1}), append(c.at, uint32(from))
			}
		}
		err := c.Rows(c.missing, false, func(i int, cells []count.Cell) error {
			for k := range cells {
				df[c.at[i]] += cells[k].DF
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return df, nil
}
