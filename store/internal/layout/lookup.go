package layout

import (
	"fmt"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/table"
)

// Lookup finds current rows: rows of the tables with the changes of the overlay.
type Lookup struct {
	Dir     Directory
	Overlay *rows.Overlay
	Fold    rows.Folder
	changes []rows.Change
	columns table.Row

	Prober        // for the terms that the overlay does not know
	unknown []int // which they are
}

// Find returns the row of term in its table, or nil, and its changes, valid until the next
// call.
func (l *Lookup) Find(hash uint64, term []byte) ([]byte, []rows.Change, error) {
	l.changes = l.Overlay.Get(l.changes[:0], hash, term, l.Dir.Position(hash), math.MaxUint64)
	row, err := l.Dir.Find(hash, term)
	return row, l.changes, err
}

// Row returns the row of term, or nil.
func (l *Lookup) Row(hash uint64, term []byte) ([]byte, error) {
	row, changes, err := l.Find(hash, term)
	if err != nil {
		return nil, err
	}
	return l.Fold.Apply(row, changes)
}

// Forget drops what leads into the mapping and the overlay, and keeps the memory.
func (l *Lookup) Forget() {
	clear(l.Dir.Tables)
	clear(l.changes)
	l.Overlay = nil
	l.Prober.Forget()
}

// Ahead fills in how many documents of a class, and of all classes, have each of the terms.
// They are looked up together, so that cache misses overlap.
func (l *Lookup) Ahead(t *rows.Terms, class uint32) error {
	l.Near += l.Overlay.Touch(t.Hashes)
	l.Hashes, l.unknown = l.Hashes[:0], l.unknown[:0]
	for i := range t.Steps {
		s := &t.Steps[i]
		s.Class = class
		if l.Overlay.Find(s); !l.Overlay.Documents(s) {
			l.Hashes, l.unknown = append(l.Hashes, s.Hash), append(l.unknown, i)
		}
	}
	l.Probe(&l.Dir)
	for k, i := range l.unknown {
		s, p := &t.Steps[i], l.Probes[k]
		row, err := l.Dir.FindFrom(int(p.Table), p.Slot, s.Hash, s.Term)
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

// DamagedRow returns the error of a row that is damaged as err says.
func DamagedRow(term []byte, err error) error {
	return &fault.Error{What: fmt.Sprintf("row of term %.40q", term), Err: err}
}

// Probe is the place where the search for a term continues.
type Probe struct{ Table, Slot uint32 }

// Prober begins the search for many terms in their tables.
type Prober struct {
	Hashes []uint64 // of the terms
	Probes []Probe  // of each, by Probe
	places []*byte  // memory of Probe
	Near   uint64   // keeps the compiler from leaving out what brings memory near
}

// Probe fills p.Probes. It reads two places of memory per term, first the slot, then the
// row, each time for all terms in a loop that does nothing else: a processor looks ahead a
// few hundred instructions, and so overlaps as many cache misses as it can.
func (p *Prober) Probe(dir *Directory) {
	p.Probes, p.places = slices.Grow(p.Probes[:0], len(p.Hashes)), slices.Grow(p.places[:0], 2*len(p.Hashes))
	for _, hash := range p.Hashes {
		at := Probe{Table: uint32(dir.At(hash))}
		t := &dir.Tables[at.Table]
		at.Slot = t.Home(hash)
		p.Probes = append(p.Probes, at)
		p.places = append(p.places, t.SlotAt(at.Slot))
	}
	p.Near += touch(p.places)
	for i, hash := range p.Hashes {
		at := &p.Probes[i]
		t := &dir.Tables[at.Table]
		at.Slot = t.ProbeFrom(at.Slot, hash)
		var next *byte
		p.places[i], next = t.RowAt(at.Slot)
		p.places = append(p.places, next)
	}
	p.Near += touch(p.places)
	p.Forget()
}

// Forget drops pointers into the mapping, which may be unmapped before they are
// overwritten. Probe does so too, unless it faulted.
func (p *Prober) Forget() { clear(p.places) }

// touch reads what lies at places.
func touch(places []*byte) (near uint64) {
	for _, p := range places {
		near |= uint64(*p)
	}
	return near
}
