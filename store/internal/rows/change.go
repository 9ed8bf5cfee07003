package rows

import "github.com/polya-classifier/polya/store/internal/table"

// Change is the change that documents make to the cell of a class. It is immutable.
type Change struct {
	Class uint32
	Docs  int64 // of U[0]
	TF    int64 // of all U
	W     int64
	More  []int64 // of U[1], U[2], …
}

// AddTo adds the change to the cells of a row, and returns false if a count falls below zero.
func (c *Change) AddTo(row *table.Columns) bool {
	return row.Add(c.Class, c.Docs, c.TF, c.W)
}
