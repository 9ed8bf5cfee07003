package store

import (
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/table"
)

// Rows looks up all terms of a document and calls f, in their order, for each term that
// some class has, with its cells in order of class id. With levels, each cell has its U.
// The cells are valid only during the call. Terms that no class has are passed over.
func (s *Snapshot) Rows(terms []count.TermCount, levels bool, f func(i int, cells []count.Cell) error) (err error) {
	s.cells, err = s.AppendRows(s.cells[:0], terms, levels, f)
	return err
}

// AppendRows is Rows, but keeps the cells: they are appended to memory, which is
// returned. Their U are valid only during the call.
func (s *Snapshot) AppendRows(memory []count.Cell, terms []count.TermCount, levels bool, f func(i int, cells []count.Cell) error) ([]count.Cell, error) {
	if err := s.directory(); err != nil {
		return memory, err
	}
	o, err := s.overlayFor(terms)
	if err != nil {
		return memory, err
	}
	s.prober.Hashes = slices.Grow(s.prober.Hashes[:0], len(terms))
	memory = slices.Grow(memory, len(terms)*min(2, len(s.totals.Classes)))
	for i := range terms {
		s.prober.Hashes = append(s.prober.Hashes, s.db.header.Key.Hash(terms[i].Term))
	}
	s.prober.Probe(s.dir)
	s.lookOver(o, terms)
	next := 0
	for i := range terms {
		changes := s.changes[next:s.ends[i]]
		next = s.ends[i]
		row, err := s.dir.FindFrom(int(s.prober.Probes[i].Table), s.prober.Probes[i].Slot, s.prober.Hashes[i], terms[i].Term)
		if err != nil {
			return memory, s.db.fail(err)
		}
		if row == nil && len(changes) == 0 {
			continue
		}
		first := len(memory)
		if memory, err = s.decode(memory, row, changes, levels); err != nil {
			return memory, s.db.fail(layout.DamagedRow(terms[i].Term, err))
		}
		if len(memory) == first {
			continue // all of them were forgotten
		}
		if err := f(i, memory[first:len(memory):len(memory)]); err != nil {
			return memory, err
		}
	}
	return memory, nil
}

func (s *Snapshot) directory() error {
	if s.dir != nil {
		return nil
	}
	if err := s.own.Load(s.tx); err != nil {
		return s.db.fail(err)
	}
	s.dir = &s.own
	return nil
}

// overlayFor returns an overlay that has the changes of terms, or of all terms for nil. A
// second call suggests many more: from then on the snapshot keeps all changes.
func (s *Snapshot) overlayFor(terms []count.TermCount) (*rows.Overlay, error) {
	if s.overlay != nil {
		return s.overlay, nil
	}
	s.db.looks.Add(1)
	all := terms == nil || s.looked
	s.looked = true
	var want *rows.Wanted
	if !all {
		want = rows.NewWanted(&s.db.header.Key, len(terms))
		for i := range terms {
			want.Add(terms[i].Term)
		}
	}
	o, err := s.tx.SumTail(s.dir, &s.db.header.Key, want, nil)
	if err == nil && all {
		s.overlay = o
	}
	return o, s.db.fail(err)
}

// lookOver fills s.changes and s.ends from the overlay.
func (s *Snapshot) lookOver(o *rows.Overlay, terms []count.TermCount) {
	s.changes, s.ends = s.changes[:0], slices.Grow(s.ends[:0], len(terms))
	o.RLock()
	defer o.RUnlock()
	any := o.Size() > 0
	if any {
		s.changes = slices.Grow(s.changes, len(terms))
		s.prober.Near += o.Touch(s.prober.Hashes)
	}
	for i := range terms {
		if any {
			s.changes = o.Get(s.changes, s.prober.Hashes[i], terms[i].Term, s.dir.Tables[s.prober.Probes[i].Table].Seq(), s.seq)
		}
		s.ends = append(s.ends, len(s.changes))
	}
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
		sum, err = s.fold.Sum(row, changes)
	} else if err = s.row.Decode(row, true); err == nil {
		sum = s.row.Cells
	}
	if err != nil {
		return cells, err
	}
	for i := range sum {
		c := &sum[i]
		class := s.totals.At(count.ClassID(c.Class))
		if class < 0 {
			return cells, ErrNoClass
		}
		cells = append(cells, count.Cell{Class: class, DF: c.DF, TF: c.TF, W: c.W, U: c.U})
	}
	return cells, nil
}

// Scan calls f for every term that some class has, in no particular order. The
// term and the cells are valid only during the call.
func (s *Snapshot) Scan(levels bool, f func(term []byte, cells []count.Cell) error) error {
	return s.scanRows(func(term, row []byte) error { return s.give(term, row, levels, f) })
}

// give calls f with the cells of a row.
func (s *Snapshot) give(term, row []byte, levels bool, f func(term []byte, cells []count.Cell) error) (err error) {
	if s.cells, err = s.decode(s.cells[:0], row, nil, levels); err != nil {
		return s.db.fail(layout.DamagedRow(term, err))
	}
	return f(term, s.cells)
}

// ScanRepeated is Scan with levels, only for the terms that occur twice or more in some
// document. For the document frequencies of the other terms see Class.Frequencies.
func (s *Snapshot) ScanRepeated(f func(term []byte, cells []count.Cell) error) error {
	return s.scanRows(func(term, row []byte) error {
		if !table.Repeats(row) {
			return nil
		}
		return s.give(term, row, true, f)
	})
}

// scanRows calls f for every term and its row.
func (s *Snapshot) scanRows(f func(term, row []byte) error) error {
	if err := s.directory(); err != nil {
		return err
	}
	o, err := s.overlayFor(nil)
	if err != nil {
		return err
	}
	for i, t := range s.dir.Tables {
		// A full scan needs sound tables: a dump with a new checksum over damaged rows would
		// make them look sound.
		if !t.Sound() {
			return s.db.fail(&CorruptError{What: layout.TableName(s.dir.Bounds[i])})
		}
		hidden, err := s.overlaid(i, o, f)
		if err != nil {
			return err
		}
		var failed error
		err = t.All(func(place uint32, term, row []byte) bool {
			if !hidden.Pass(place) {
				failed = f(term, row)
			}
			return failed == nil
		})
		if err != nil {
			return s.db.fail(&CorruptError{What: layout.TableName(s.dir.Bounds[i]), Err: err})
		}
		if failed != nil {
			return failed
		}
	}
	return nil
}

// overlaid calls f for each row of table i that the overlay changes, and returns their
// places. The lock is not held while f runs.
func (s *Snapshot) overlaid(i int, o *rows.Overlay, f func(term, row []byte) error) (hidden layout.Places, err error) {
	t := &s.dir.Tables[i]
	s.fold.Epoch = s.totals.Epoch
	for _, c := range o.Between(s.dir.Low(i), s.dir.Bounds[i], t.Seq(), s.seq) {
		row, place, err := t.Locate(c.Hash, c.Term)
		if err != nil {
			return nil, s.db.fail(&CorruptError{What: layout.TableName(s.dir.Bounds[i]), Err: err})
		}
		if row != nil {
			hidden = append(hidden, place)
		}
		if row, err = s.fold.Apply(row, c.Changes); err != nil {
			return nil, s.db.fail(layout.DamagedRow(c.Term, err))
		}
		if row == nil {
			continue
		}
		if err := f(c.Term, row); err != nil {
			return nil, err
		}
	}
	slices.Sort(hidden)
	return hidden, nil
}
