package rows

import (
	"cmp"

	"github.com/polya-classifier/polya/store/internal/table"
)

// Change is the change that documents make to the cell of a class.
type Change struct {
	Class uint32
	Docs  int64 // of U[0]
	W     int64
	More  []int64 // of U[1], U[2], …
}

func byClass(c Change, class uint32) int { return cmp.Compare(c.Class, class) }

// grow makes room for a change of so many levels above the first.
func (c *Change) grow(levels int) {
	if more := levels - len(c.More); more > 0 {
		c.More = append(c.More, make([]int64, more)...)
	}
}

// AddTo adds the change to the cells of a row, and returns false if a count falls below zero.
func (c *Change) AddTo(row *table.Columns) bool {
	tf := c.Docs
	for _, n := range c.More {
		tf += n
	}
	return row.Add(c.Class, c.Docs, tf, c.W)
}
