// Package rows changes what is counted of a term: by one document, as an Editor does, or
// by the sum of many, which a Tally holds and a Folder adds. Rows are those of package
// table; classes are given by id.
package rows

import (
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

// Editor changes one row by one document. Its memory is used again.
type Editor struct {
	row   table.Row
	out   []table.Cell
	u     []uint32
	Epoch uint64 // of new rows
}

// Change is what an edit did to a row beside its counts.
type Change struct {
	DF    uint64 // document frequency in the class before
	Fresh bool   // no class had the term before (trained) or has it now (untrained)
}

// Train returns row with a document of class added in which the term occurs x times
// with weight w. A nil row is a term that no class has. The error is count.ErrTooMany, or
// that of a damaged row.
func (e *Editor) Train(row []byte, class uint32, x int, w uint64) ([]byte, Change, error) {
	at, found, err := e.open(row, class)
	if err != nil {
		return nil, Change{}, err
	}
	if !found {
		e.out = slices.Insert(e.out, at, table.Cell{Class: class})
	}
	c := &e.out[at]
	if c.DF >= count.MaxDocs {
		return nil, Change{}, count.ErrTooMany
	}
	ch := Change{DF: c.DF, Fresh: row == nil}
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

// Untrain returns row with a document of x occurrences of weight w taken away,
// or nil if no class has the term then. It returns count.ErrNotLearned if the row
// holds no such document.
func (e *Editor) Untrain(row []byte, class uint32, x int, w uint64) ([]byte, Change, error) {
	at, found, err := e.open(row, class)
	if err != nil {
		return nil, Change{}, err
	}
	if !found {
		return nil, Change{}, count.ErrNotLearned
	}
	c := &e.out[at]
	if len(c.U) < x || (len(c.U) > x && c.U[x-1] == c.U[x]) || c.W < w {
		return nil, Change{}, count.ErrNotLearned
	}
	ch := Change{DF: c.DF}
	e.u = append(e.u[:0], c.U...)
	for j := range x {
		e.u[j]--
	}
	for len(e.u) > 0 && e.u[len(e.u)-1] == 0 {
		e.u = e.u[:len(e.u)-1]
	}
	*c = table.Cell{Class: class, DF: c.DF - 1, TF: c.TF - uint64(x), W: c.W - w, U: e.u}
	if c.W > c.DF*count.WeightUnit {
		return nil, Change{}, count.ErrNotLearned
	}
	if c.DF == 0 {
		e.out = slices.Delete(e.out, at, at+1)
	}
	if len(e.out) == 0 {
		ch.Fresh = true
		return nil, ch, nil
	}
	return e.append(row), ch, nil
}

// append returns e.out as a row in place of the old one, nil for a new one.
func (e *Editor) append(old []byte) []byte {
	epoch := e.row.Epoch
	if old == nil {
		epoch = e.Epoch
	}
	return table.AppendRow(table.AppendEpoch(nil, epoch), e.out)
}

// open decodes row into e.out and says where class is or belongs.
func (e *Editor) open(row []byte, class uint32) (int, bool, error) {
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
