// Package rows changes the counts of a term. An Overlay or a Tally sums documents, and a
// Folder adds the sums to rows of package table; classes are given by id.
package rows

import (
	"cmp"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/table"
)

// Row is a term with its new row, nil to remove it.
type Row struct {
	Hash uint64
	Term []byte
	Data []byte
}

// Holds returns count.ErrNotLearned unless cells, with their levels, hold a document of class
// in which the term occurs x times with weight w.
func Holds(cells []table.Cell, class uint32, x int, w uint64) error {
	at, found := find(cells, class)
	if !found {
		return count.ErrNotLearned
	}
	c := &cells[at]
	if len(c.U) < x || (len(c.U) > x && c.U[x-1] == c.U[x]) || c.W < w || c.W-w > (c.DF-1)*count.WeightUnit {
		return count.ErrNotLearned
	}
	return nil
}

// find returns where the cell of class is, or belongs.
func find(cells []table.Cell, class uint32) (int, bool) {
	return slices.BinarySearchFunc(cells, class, func(c table.Cell, class uint32) int { return cmp.Compare(c.Class, class) })
}
