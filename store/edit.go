package store

import (
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/table"
)

// editor changes one row by one document. Its memory is used again.
type editor struct {
	row   table.Row
	out   []table.Cell
	u     []uint32
	epoch uint64 // in which new rows are born
}

// change is what an edit did to a row beside its counts.
type change struct {
	df    uint64 // document frequency in the class before
	fresh bool   // no class had the term before (trained) or has it now (untrained)
}

// train returns row with x occurrences of weight w added for class. A nil row
// is a term that no class has.
func (e *editor) train(row []byte, class uint32, x int, w uint64) ([]byte, change, error) {
	at, found, err := e.open(row, class)
	if err != nil {
		return nil, change{}, err
	}
	if !found {
		e.out = slices.Insert(e.out, at, table.Cell{Class: class})
	}
	c := &e.out[at]
	if c.DF >= count.MaxDocs {
		return nil, change{}, count.ErrTooMany
	}
	ch := change{df: c.DF, fresh: row == nil}
	e.u = append(e.u[:0], c.U...)
	for len(e.u) < x {
		e.u = append(e.u, 0)
	}
	for j := range x {
		e.u[j]++
	}
	*c = table.Cell{Class: class, DF: c.DF + 1, TF: c.TF + uint64(x), W: c.W + w, U: e.u}
	return e.append(row), ch, nil
}

// untrain returns row with a document of x occurrences of weight w taken away,
// or nil if no class has the term then. It returns ErrNotLearned if the row
// holds no such document.
func (e *editor) untrain(row []byte, class uint32, x int, w uint64) ([]byte, change, error) {
	at, found, err := e.open(row, class)
	if err != nil {
		return nil, change{}, err
	}
	if !found {
		return nil, change{}, count.ErrNotLearned
	}
	c := &e.out[at]
	if len(c.U) < x || (len(c.U) > x && c.U[x-1] == c.U[x]) || c.W < w {
		return nil, change{}, count.ErrNotLearned
	}
	ch := change{df: c.DF}
	e.u = append(e.u[:0], c.U...)
	for j := range x {
		e.u[j]--
	}
	for len(e.u) > 0 && e.u[len(e.u)-1] == 0 {
		e.u = e.u[:len(e.u)-1]
	}
	*c = table.Cell{Class: class, DF: c.DF - 1, TF: c.TF - uint64(x), W: c.W - w, U: e.u}
	if c.W > c.DF*count.WeightUnit {
		return nil, change{}, count.ErrNotLearned
	}
	if c.DF == 0 {
		e.out = slices.Delete(e.out, at, at+1)
	}
	if len(e.out) == 0 {
		ch.fresh = true
		return nil, ch, nil
	}
	return e.append(row), ch, nil
}

// append returns e.out as a row in place of the old one, which is nil if it is
// new.
func (e *editor) append(old []byte) []byte {
	born := e.row.Born
	if old == nil {
		born = e.epoch
	}
	return table.AppendRow(table.AppendBorn(nil, born), e.out)
}

// open decodes row into e.out and says where class is or belongs.
func (e *editor) open(row []byte, class uint32) (int, bool, error) {
	e.out = e.out[:0]
	if row == nil {
		return 0, false, nil
	}
	if err := e.row.Decode(row, true); err != nil {
		return 0, false, err
	}
	e.out = append(e.out, e.row.Cells...)
	at, found := slices.BinarySearchFunc(e.out, class, func(c table.Cell, class uint32) int {
		return int(int64(c.Class) - int64(class))
	})
	return at, found, nil
}
