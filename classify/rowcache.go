package classify

import (
	"github.com/polya-classifier/polya/classify/internal/layer"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// rowCache reads a Snapshot for documents with many common terms: it keeps the row of a
// term, without levels, for the next document that has the term.
type rowCache struct {
	*store.Snapshot
	terms   layer.Terms
	shared  bool     // a Layer uses the numbers too, and bounds how many there are
	numbers []uint32 // of the last requested terms
	known   model.Numbered
}

// A rowCache is emptied when it has mostCachedCells, which take 32 MB, or mostCachedTerms.
const (
	mostCachedCells = 1 << 20
	mostCachedTerms = 1 << 20
)

// number sets c.numbers to the numbers of terms.
func (c *rowCache) number(terms []count.TermCount) {
	if !c.shared && c.terms.Len() > mostCachedTerms {
		c.terms = layer.Terms{}
		c.known.Forget()
	}
	c.numbers = c.terms.Numbers(c.numbers[:0], terms)
}

// read numbers terms and reads the rows that are not known.
func (c *rowCache) read(terms []count.TermCount) error {
	if c.known.Cells() > mostCachedCells {
		c.known.Forget()
	}
	c.number(terms)
	return c.known.Read(c.Snapshot, terms, c.numbers, c.terms.Len())
}

// evidence sets the rows of e to the rows of its terms.
func (c *rowCache) evidence(e *model.Evidence, levels bool) error {
	if levels {
		c.number(e.Terms)
		return e.ReadTerms(c, true)
	}
	if err := c.read(e.Terms); err != nil {
		return err
	}
	e.ReadNumbered(&c.known, c.numbers)
	return nil
}

// AppendRows implements model.Reader.
func (c *rowCache) AppendRows(memory []count.Cell, terms []count.TermCount, levels bool, f func(i int, cells []count.Cell) error) ([]count.Cell, error) {
	if levels {
		return c.Snapshot.AppendRows(memory, terms, levels, f)
	}
	if err := c.read(terms); err != nil {
		return memory, err
	}
	for i, number := range c.numbers {
		first := len(memory)
		memory = c.known.AppendRow(memory, number)
		if len(memory) == first {
			continue
		}
		if err := f(i, memory[first:len(memory):len(memory)]); err != nil {
			return memory, err
		}
	}
	return memory, nil
}
