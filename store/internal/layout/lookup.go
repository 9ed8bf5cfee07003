package layout

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/table"
)

// Lookup finds rows of the tables with the changes of the overlay.
type Lookup struct {
	Dir     Directory
	Overlay *rows.Overlay
	Fold    rows.Folder
	changes []rows.Change // of terms, up to ends
	ends    []int
	columns table.Row
	hashes  []uint64 // of the terms that are looked up
	unknown []int    // which they are, if the overlay does not know some
	probes  []probe
	places  []*byte
	near    uint64 // keeps the compiler from leaving out what brings memory near
}

// probe is the place where the search for a term continues.
type probe struct{ table, slot uint32 }

// Find returns the row of term in its table, or nil, and its changes, valid until the next
// call.
func (l *Lookup) Find(hash uint64, term []byte) ([]byte, []rows.Change, error) {
	l.changes = l.Overlay.Get(l.changes[:0], hash, term, l.Dir.Position(hash), math.MaxUint64)
	i := l.Dir.At(hash)
	row, err := l.find(probe{uint32(i), l.Dir.Tables[i].Home(hash)}, hash, term)
	return row, l.changes, err
}

func (l *Lookup) find(p probe, hash uint64, term []byte) ([]byte, error) {
	row, _, err := l.Dir.Tables[p.table].LocateFrom(p.slot, hash, term)
	if err != nil {
		return nil, &fault.Error{What: TableName(l.Dir.Bounds[p.table]), Err: err}
	}
	return row, nil
}

// Row returns the row of term, or nil.
func (l *Lookup) Row(hash uint64, term []byte) ([]byte, error) {
	row, changes, err := l.Find(hash, term)
	if err != nil {
		return nil, err
	}
	return l.Fold.Apply(row, changes, nil)
}

// Forget drops what leads into the mapping, which may be unmapped before it is overwritten, and
// the overlay, and keeps the memory and the list of tables.
func (l *Lookup) Forget() {
	clear(l.changes)
	clear(l.places)
	l.Overlay = nil
}

// Each calls f for each term that has a row in its table, or changes by records up to seq, with
// both; they are valid only during the call. The terms are looked up together, so that cache
// misses overlap, and no lock is held while f runs.
func (l *Lookup) Each(key *table.Key, terms []count.TermCount, seq uint64, f func(i int, row []byte, changes []rows.Change) error) error {
	l.hashes = slices.Grow(l.hashes[:0], len(terms))
	for i := range terms {
		l.hashes = append(l.hashes, key.Hash(terms[i].Term))
	}
	l.probe()
	l.lookOver(terms, seq)
	next := 0
	for i, hash := range l.hashes {
		changes := l.changes[next:l.ends[i]]
		next = l.ends[i]
		row, err := l.find(l.probes[i], hash, terms[i].Term)
		if err == nil && (row != nil || len(changes) > 0) {
			err = f(i, row, changes)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *Lookup) lookOver(terms []count.TermCount, seq uint64) {
	l.changes, l.ends = l.changes[:0], slices.Grow(l.ends[:0], len(terms))
	o := l.Overlay
	o.RLock()
	defer o.RUnlock()
	any := o.Terms > 0
	if any {
		l.changes = slices.Grow(l.changes, len(terms))
		l.near += o.Touch(l.hashes)
	}
	for i, hash := range l.hashes {
		if any {
			l.changes = o.Get(l.changes, hash, terms[i].Term, l.Dir.Tables[l.probes[i].table].Seq, seq)
		}
		l.ends = append(l.ends, len(l.changes))
	}
}

// Ahead fills in how many documents of a class, and of all classes, have each of the terms.
// They are looked up together, so that cache misses overlap.
func (l *Lookup) Ahead(t *rows.Terms, class uint32) error {
	l.near += l.Overlay.Touch(t.Hashes)
	l.hashes, l.unknown = l.hashes[:0], l.unknown[:0]
	for i := range t.Steps {
		s := &t.Steps[i]
		s.Class = class
		if l.Overlay.Find(s); !l.Overlay.Documents(s) {
			l.hashes, l.unknown = append(l.hashes, s.Hash), append(l.unknown, i)
		}
	}
	l.probe()
	for k, i := range l.unknown {
		s := &t.Steps[i]
		row, err := l.find(l.probes[k], s.Hash, s.Term)
		if err == nil {
			err = l.documents(s, row)
		}
		if err != nil {
			return DamagedRow(s.Term, err)
		}
	}
	return nil
}

// documents fills in how many documents of the class of a step, and of all classes, have
// its term. row is the term's row in its table.
func (l *Lookup) documents(s *rows.Step, row []byte) error {
	l.changes = l.Overlay.Get(l.changes[:0], s.Hash, s.Term, l.Dir.Position(s.Hash), math.MaxUint64)
	c, err := l.columns.DecodeColumns(row)
	if err != nil {
		return err
	}
	s.Docs, s.All = 0, 0
	for i, df := range c.DF {
		s.All += int64(df)
		if c.Class[i] == uint64(s.Class) {
			s.Docs = int64(df)
		}
	}
	for i := range l.changes {
		s.All += l.changes[i].Docs
		if l.changes[i].Class == s.Class {
			s.Docs += l.changes[i].Docs
		}
	}
	return nil
}

// Scan calls f for every term that some class has by records up to seq, with its row, in no
// particular order.
func (l *Lookup) Scan(seq uint64, f func(term, row []byte) error) error {
	for i, t := range l.Dir.Tables {
		// A full scan needs sound tables: a dump with a new checksum over damaged rows would
		// make them look sound.
		if !t.Sound() {
			return &fault.Error{What: TableName(l.Dir.Bounds[i])}
		}
		changed, hidden, err := l.Dir.Changed(i, l.Overlay, seq, &l.Fold)
		for _, r := range changed {
			if err == nil && r.Data != nil {
				err = f(r.Term, r.Data)
			}
		}
		if err != nil {
			return err
		}
		var failed error // of f
		err = t.All(func(place uint32, term, row []byte) bool {
			if !hidden.Pass(place) {
				failed = f(term, row)
			}
			return failed == nil
		})
		if err != nil {
			err = &fault.Error{What: TableName(l.Dir.Bounds[i]), Err: err}
		}
		if err = cmp.Or(failed, err); err != nil {
			return err
		}
	}
	return nil
}

// DamagedRow returns the error of a row that is damaged as err says.
func DamagedRow(term []byte, err error) error {
	return &fault.Error{What: fmt.Sprintf("row of term %.40q", term), Err: err}
}

// probe begins the search for the terms of l.hashes in their tables, and fills l.probes. It reads
// two places of memory per term, first the slot, then the row, each time for all terms in a loop
// that does nothing else: a processor looks ahead a few hundred instructions, and so overlaps as
// many cache misses as it can.
func (l *Lookup) probe() {
	l.probes, l.places = slices.Grow(l.probes[:0], len(l.hashes)), slices.Grow(l.places[:0], 2*len(l.hashes))
	for _, hash := range l.hashes {
		at := probe{table: uint32(l.Dir.At(hash))}
		t := &l.Dir.Tables[at.table]
		at.slot = t.Home(hash)
		l.probes = append(l.probes, at)
		l.places = append(l.places, t.SlotAt(at.slot))
	}
	l.near += touch(l.places)
	for i, hash := range l.hashes {
		at := &l.probes[i]
		t := &l.Dir.Tables[at.table]
		at.slot = t.ProbeFrom(at.slot, hash)
		var next *byte
		l.places[i], next = t.RowAt(at.slot)
		l.places = append(l.places, next)
	}
	l.near += touch(l.places)
	clear(l.places)
}

// touch reads what lies at places.
func touch(places []*byte) (near uint64) {
	for _, p := range places {
		near |= uint64(*p)
	}
	return near
}
