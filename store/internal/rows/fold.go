package rows

import (
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/table"
)

// Folder adds the cells of a tally to rows. Its memory is used again.
type Folder struct {
	row    table.Row
	out    []table.Cell
	levels []uint32
	Epoch  uint64 // of new rows

	// together puts the rows returned into shared memory: for those that are soon
	// written, and not kept one by one.
	Together bool
	rows     []byte
}

// rowsChunk is how much memory for rows is taken at a time.
const rowsChunk = 64 << 10

// Fold returns row with term i of t added, or nil if no class has the term
// then. moved is told of each class the document frequency before and after.
// It returns count.ErrNotLearned if a count would fall below zero or the row would
// not be one that documents can give, and count.ErrTooMany if they would be too many.
func (f *Folder) Fold(row []byte, t *Tally, i int, moved func(class uint32, before, after uint64)) ([]byte, error) {
	f.out, f.levels = f.out[:0], f.levels[:0]
	epoch := f.Epoch
	if t.epochs != nil {
		epoch = t.epochs[i]
	}
	if row != nil {
		if err := f.row.Decode(row, true); err != nil {
			return nil, err
		}
		f.out = append(f.out, f.row.Cells...)
		epoch = f.row.Epoch
	}
	for c := t.terms[i].start(); c != nil; c = t.next(c) {
		k, found := 0, false
		if len(f.out) > 0 {
			k, found = slices.BinarySearchFunc(f.out, c.class, func(x table.Cell, class uint32) int {
				return int(int64(x.Class) - int64(class))
			})
		}
		if !found {
			f.out = slices.Insert(f.out, k, table.Cell{Class: c.class})
		}
		before := f.out[k].DF
		cell, err := f.add(f.out[k], c)
		if err != nil {
			return nil, err
		}
		f.out[k] = cell
		moved(c.class, before, cell.DF)
	}
	f.out = slices.DeleteFunc(f.out, func(c table.Cell) bool { return c.DF == 0 })
	if len(f.out) == 0 {
		return nil, nil
	}
	if !f.Together {
		return table.AppendRow(table.AppendEpoch(nil, epoch), f.out), nil
	}
	if cap(f.rows)-len(f.rows) < rowsChunk/16 {
		f.rows = make([]byte, 0, rowsChunk)
	}
	start := len(f.rows)
	f.rows = table.AppendRow(table.AppendEpoch(f.rows, epoch), f.out)
	return f.rows[start:len(f.rows):len(f.rows)], nil
}

// Cells returns the cells of the row that was folded last, valid until the next call.
func (f *Folder) Cells() []table.Cell { return f.out }

// add returns cell with c added, or an error if that cannot be.
func (f *Folder) add(cell table.Cell, c *tallyCell) (table.Cell, error) {
	start := len(f.levels)
	n := max(len(cell.U), 1+len(c.more))
	last := uint64(count.MaxDocs)
	sum := uint64(0)
	for j := range n {
		u := int64(0)
		if j < len(cell.U) {
			u = int64(cell.U[j])
		}
		if j == 0 {
			u += c.docs
		} else if j <= len(c.more) {
			u += c.more[j-1]
		}
		if j == 0 && u > count.MaxDocs {
			return cell, count.ErrTooMany
		}
		if u < 0 || uint64(u) > last {
			return cell, count.ErrNotLearned
		}
		last = uint64(u)
		sum += last
		f.levels = append(f.levels, uint32(u))
	}
	u := f.levels[start:]
	for len(u) > 0 && u[len(u)-1] == 0 {
		u = u[:len(u)-1]
	}
	w := int64(cell.W) + c.w
	out := table.Cell{Class: cell.Class, TF: sum, W: uint64(w), U: u[:len(u):len(u)]}
	if len(u) > 0 {
		out.DF = uint64(u[0])
	}
	if w < 0 || out.W > out.DF*count.WeightUnit {
		return cell, count.ErrNotLearned
	}
	return out, nil
}
