// Package rows changes the counts of a term. An Overlay or a Tally sums documents, and a
// Folder adds the sums to rows of package table; classes are given by id.
package rows

import (
	"cmp"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/table"
)

// Folder adds changes to rows. It reuses its memory.
type Folder struct {
	row    table.Row
	out    []table.Cell
	levels []uint32
	Epoch  uint64 // of new rows
	rows   []byte // memory that the rows returned share: they are soon written, and not kept one by one
}

// rowsChunk is the number of bytes allocated for rows at a time.
const rowsChunk = 64 << 10

// Apply returns row with changes, or nil if no class has the term then. moved, unless it is nil, is
// called with each class and its document frequency before and after. Apply returns
// count.ErrNotLearned if a count would fall below zero or no documents could give the row,
// and count.ErrTooMany if a class would get too many documents.
func (f *Folder) Apply(row []byte, changes []Change, moved func(class uint32, before, after uint64)) ([]byte, error) {
	if len(changes) == 0 {
		return row, nil
	}
	epoch, err := f.sum(row, changes, moved)
	if err != nil || len(f.out) == 0 {
		return nil, err
	}
	if cap(f.rows)-len(f.rows) < rowsChunk/16 {
		f.rows = make([]byte, 0, rowsChunk)
	}
	start := len(f.rows)
	f.rows = table.AppendRow(table.AppendEpoch(f.rows, epoch), f.out)
	return f.rows[start:len(f.rows):len(f.rows)], nil
}

// Sum returns the cells of row with changes, valid until the next call, with their levels.
// The errors are as for Apply.
func (f *Folder) Sum(row []byte, changes []Change) ([]table.Cell, error) {
	_, err := f.sum(row, changes, nil)
	return f.out, err
}

func (f *Folder) sum(row []byte, changes []Change, moved func(class uint32, before, after uint64)) (epoch uint64, err error) {
	f.out, f.levels, epoch = f.out[:0], f.levels[:0], f.Epoch
	if row != nil {
		if err := f.row.Decode(row, true); err != nil {
			return 0, err
		}
		f.out, epoch = append(f.out, f.row.Cells...), f.row.Epoch
	}
	for i := range changes {
		if err := f.change(&changes[i], moved); err != nil {
			return 0, err
		}
	}
	f.out = slices.DeleteFunc(f.out, func(c table.Cell) bool { return c.DF == 0 }) // of classes that do not have the term any more
	return epoch, nil
}

func (f *Folder) change(c *Change, moved func(class uint32, before, after uint64)) error {
	k, found := find(f.out, c.Class)
	if !found {
		f.out = slices.Insert(f.out, k, table.Cell{Class: c.Class})
	}
	before := f.out[k].DF
	if err := f.add(&f.out[k], c); err != nil {
		return err
	}
	if moved != nil {
		moved(c.Class, before, f.out[k].DF)
	}
	return nil
}

// add changes cell, or returns an error if the result is impossible.
func (f *Folder) add(cell *table.Cell, change *Change) error {
	start := len(f.levels)
	n := max(len(cell.U), 1+len(change.More))
	last := uint64(count.MaxDocs)
	sum := uint64(0)
	for j := range n {
		u := int64(0)
		if j < len(cell.U) {
			u = int64(cell.U[j])
		}
		if j == 0 {
			u += change.Docs
		} else if j <= len(change.More) {
			u += change.More[j-1]
		}
		if j == 0 && u > count.MaxDocs {
			return count.ErrTooMany
		}
		if u < 0 || uint64(u) > last {
			return count.ErrNotLearned
		}
		last = uint64(u)
		sum += last
		f.levels = append(f.levels, uint32(u))
	}
	u := f.levels[start:]
	for len(u) > 0 && u[len(u)-1] == 0 {
		u = u[:len(u)-1]
	}
	w := int64(cell.W) + change.W
	out := table.Cell{Class: cell.Class, TF: sum, W: uint64(w), U: u[:len(u):len(u)]}
	if len(u) > 0 {
		out.DF = uint64(u[0])
	}
	if w < 0 || out.W > out.DF*count.WeightUnit {
		return count.ErrNotLearned
	}
	*cell = out
	return nil
}

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
