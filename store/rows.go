package store

import (
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/totals"
)

// Rows looks up all terms of a document and calls f, in their order, for each that some class
// has, with its cells in order of class id, valid only during the call. With levels, each cell
// has its U.
func (s *Snapshot) Rows(terms []count.TermCount, levels bool, f func(i int, cells []count.Cell) error) (err error) {
	s.cells, err = s.AppendRows(s.cells[:0], terms, levels, f)
	return err
}

// AppendRows is Rows, but appends the cells to memory, which is returned. Their U are valid
// only during the call.
func (s *Snapshot) AppendRows(memory []count.Cell, terms []count.TermCount, levels bool, f func(i int, cells []count.Cell) error) ([]count.Cell, error) {
	if err := s.lookFor(terms); err != nil {
		return memory, s.db.fail(err)
	}
	memory = slices.Grow(memory, len(terms)*min(2, len(s.totals.Classes)))
	var failed error // of f
	err := s.look.Each(&s.db.header.Key, terms, s.seq, func(i int, row []byte, changes []rows.Change) (err error) {
		first := len(memory)
		if memory, err = s.decode(memory, row, changes, levels); err != nil {
			return layout.DamagedRow(terms[i].Term, err)
		}
		if len(memory) > first { // or all of them were forgotten
			failed = f(i, memory[first:len(memory):len(memory)])
		}
		return failed
	})
	return memory, s.failed(err, failed)
}

// failed returns err, or what a caller's function has returned.
func (s *Snapshot) failed(err, failed error) error {
	if failed != nil {
		return failed
	}
	return s.db.fail(err)
}

// lookFor prepares s.look for terms, or for all terms for nil. After a second call, which
// suggests many more, the snapshot keeps all changes of the tail.
func (s *Snapshot) lookFor(terms []count.TermCount) error {
	s.look.Fold.Epoch = s.totals.Epoch
	if err := s.look.Dir.Load(s.tx); err != nil {
		return err
	}
	if s.look.Overlay = s.overlay; s.overlay != nil {
		return nil
	}
	s.db.looks.Add(1)
	var like *encoded.Shapes
	if terms != nil && !s.looked {
		like = new(encoded.Shapes)
		for i := range terms {
			like.Add(terms[i].Term)
		}
	}
	s.looked = true
	o, err := s.tx.SumTail(&s.look.Dir, &s.db.header.Key, like, nil)
	if s.look.Overlay = o; err == nil && like == nil {
		s.overlay = o
	}
	return err
}

// decode appends the cells of a row, which may be nil, with changes.
func (s *Snapshot) decode(cells []count.Cell, row []byte, changes []rows.Change, levels bool) ([]count.Cell, error) {
	if levels {
		return s.decodeLevels(cells, row, changes)
	}
	from, err := s.row.DecodeColumns(row)
	if err != nil {
		return cells, err
	}
	for i := range changes {
		if !changes[i].AddTo(from) {
			return cells, count.ErrNotLearned
		}
	}
	n, first, index := len(from.Class), len(cells), s.totals.Index
	cells = slices.Grow(cells, n)[:first+n]
	dfs, tfs, ws := from.DF[:n], from.TF[:n], from.W[:n]
	for i, class := range from.Class {
		if class >= uint64(len(index)) || index[class] < 0 {
			return cells[:first], ErrNoClass
		}
		to := &cells[first+i]
		to.Class, to.DF, to.TF, to.W = int(index[class]), dfs[i], tfs[i], ws[i]
		if to.U != nil { // or each cell would cost a write barrier
			to.U = nil
		}
	}
	return cells, nil
}

func (s *Snapshot) decodeLevels(cells []count.Cell, row []byte, changes []rows.Change) ([]count.Cell, error) {
	var sum []table.Cell
	var err error
	if len(changes) > 0 {
		sum, err = s.look.Fold.Sum(row, changes)
	} else if err = s.row.Decode(row, true); err == nil {
		sum = s.row.Cells
	}
	if err != nil {
		return cells, err
	}
	return appendCells(cells, s.totals, sum)
}

func appendCells(cells []count.Cell, t *totals.Totals, row []table.Cell) ([]count.Cell, error) {
	for i := range row {
		c := &row[i]
		class := t.At(count.ClassID(c.Class))
		if class < 0 {
			return cells, ErrNoClass
		}
		cells = append(cells, count.Cell{Class: class, DF: c.DF, TF: c.TF, W: c.W, U: c.U})
	}
	return cells, nil
}

// Scan calls f for every term that some class has, in no particular order. The term and the
// cells are valid only during the call.
func (s *Snapshot) Scan(levels bool, f func(term []byte, cells []count.Cell) error) error {
	var failed error // of f
	err := s.scan(levels, func(term []byte, cells []count.Cell) error {
		failed = f(term, cells)
		return failed
	})
	return s.failed(err, failed)
}

func (s *Snapshot) scan(levels bool, f func(term []byte, cells []count.Cell) error) error {
	if err := s.lookFor(nil); err != nil {
		return err
	}
	return s.look.Scan(s.seq, func(term, row []byte) (err error) {
		if s.cells, err = s.decode(s.cells[:0], row, nil, levels); err != nil {
			return layout.DamagedRow(term, err)
		}
		return f(term, s.cells)
	})
}

// Attributes returns the counts of every attribute, in order of name. The result may be kept.
func (s *Snapshot) Attributes() (list []*count.AttributeTotals, err error) {
	err = attributes.EachRow(s.tx.Bucket(stored.BucketAttribute), func(name string, row *attributes.Row) error {
		t := &count.AttributeTotals{Name: name, Kind: row.Kind, Values: row.Values, Classes: make([]count.AttributeCell, len(s.totals.Classes))}
		for i := range row.Cells {
			at := s.totals.At(count.ClassID(row.Cells[i].Class))
			if at < 0 {
				return &CorruptError{What: attributes.NameOf(name), Err: ErrNoClass}
			}
			t.Classes[at] = row.Cells[i].AttributeCell
		}
		list = append(list, t)
		return nil
	})
	return list, s.db.fail(err)
}

// CategoryCounts sets counts[c] to the number of documents of class c, in the order of
// Classes, whose attribute of that name is that category, and reports whether any class
// has such documents. counts must be as long as Classes.
func (s *Snapshot) CategoryCounts(name, category string, counts []uint64) (bool, error) {
	clear(counts)
	if a := (&count.Attribute{Name: name, Kind: count.Category, Category: category}); a.Check() != nil {
		return false, nil
	}
	found, err := attributes.Get(s.tx.Bucket(stored.BucketValue), attributes.ValueKey(name, category), &s.value, attributes.ReadValueRow)
	if err != nil || !found {
		return false, s.db.fail(err)
	}
	return true, s.db.fail(s.spreadValue(name, &s.value, counts))
}

// spreadValue sets counts, by place in Classes, to the counts of a row.
func (s *Snapshot) spreadValue(name string, row *attributes.Row, counts []uint64) error {
	clear(counts)
	for _, c := range row.Cells {
		at := s.totals.At(count.ClassID(c.Class))
		if at < 0 {
			return &CorruptError{What: "values of " + attributes.NameOf(name), Err: ErrNoClass}
		}
		counts[at] = c.N
	}
	return nil
}

// EachValue calls f with each value of a Category or Uniform, in order, and with
// the number of documents of each class that have it. value and counts are valid
// only during the call.
func (s *Snapshot) EachValue(name string, f func(value *count.Attribute, counts []uint64) error) error {
	var row attributes.Row
	found, err := attributes.Get(s.tx.Bucket(stored.BucketAttribute), name, &row, attributes.ReadRow)
	if err != nil || !found || !attributes.Listed(row.Kind) {
		return s.db.fail(err)
	}
	counts := make([]uint64, len(s.totals.Classes))
	var failed error // of f
	err = attributes.EachValueRow(s.tx.Bucket(stored.BucketValue), name, func(key []byte, v *attributes.Row) error {
		_, value, _ := attributes.SplitValueKey(key)
		a, err := attributes.ValueOf(name, row.Kind, value)
		if err != nil {
			return &CorruptError{What: "values of " + attributes.NameOf(name)}
		}
		if err := s.spreadValue(name, v, counts); err != nil {
			return err
		}
		failed = f(&a, counts)
		return failed
	})
	return s.failed(err, failed)
}

// GreatestWithout returns the greatest value of a Uniform in class c, an index of
// Classes, after one document of that class with value x has been left out; ok is
// false if the class has no other. If x is the greatest itself, the values that only
// other classes have are passed over on the way to the next one below, at some 0.1 µs
// each.
func (s *Snapshot) GreatestWithout(name string, c int, x float64) (greatest float64, ok bool, err error) {
	var row attributes.Row
	found, err := attributes.Get(s.tx.Bucket(stored.BucketAttribute), name, &row, attributes.ReadRow)
	if err != nil || !found || row.Kind != count.Uniform {
		return 0, false, s.db.fail(err)
	}
	class := uint32(s.totals.Classes[c].ID)
	at, found := row.Find(class)
	if !found || row.Cells[at].N < 2 {
		return 0, false, nil
	}
	if greatest = row.Cells[at].Greatest; x < greatest {
		return greatest, true, nil
	}
	// x is the greatest: another may equal it, or else the next value below becomes the
	// greatest.
	greatest, ok, err = attributes.Nearest(s.tx.Bucket(stored.BucketValue), name, class, greatest, true, 1)
	return greatest, ok, s.db.fail(err)
}
