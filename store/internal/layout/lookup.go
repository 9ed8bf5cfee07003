package layout

import (
	"fmt"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/rows"
)

// Lookup finds rows of the tables with the changes of the overlay.
type Lookup struct {
	Dir     Directory
	Overlay *rows.Overlay
	Fold    rows.Folder
	changes []rows.Change // of the terms, up to ends
	ends    []int
	probes  []probe
	places  []*byte
	near    uint64 // keeps the compiler from leaving out what brings memory near
}

// probe is the place where the search for a term continues.
type probe struct{ table, slot uint32 }

// Row returns the row of term as of now, or nil.
func (l *Lookup) Row(hash uint64, term []byte) ([]byte, error) {
	l.changes = l.Overlay.Get(l.changes[:0], hash, term, l.Dir.Position(hash), math.MaxUint64)
	i := l.Dir.At(hash)
	row, err := l.find(probe{uint32(i), l.Dir.Tables[i].Probe(hash)}, hash, term)
	if err != nil {
		return nil, err
	}
	return l.Fold.Apply(row, l.changes, nil)
}

func (l *Lookup) find(p probe, hash uint64, term []byte) ([]byte, error) {
	row, _, err := l.Dir.Tables[p.table].LocateFrom(p.slot, hash, term)
	if err != nil {
		return nil, &fault.Error{What: TableName(l.Dir.Bounds[p.table]), Err: err}
	}
	return row, nil
}

// Each calls f for each term with its row in its table, or nil, and its changes by records up to
// seq; they are valid only during the call. The terms are looked up together, so that cache
// misses overlap, and no lock is held while f runs.
func (l *Lookup) Each(terms []count.TermCount, hashes []uint64, seq uint64, f func(i int, row []byte, changes []rows.Change) error) error {
	l.probe(hashes)
	l.lookOver(terms, hashes, seq)
	next := 0
	for i, hash := range hashes {
		changes := l.changes[next:l.ends[i]]
		next = l.ends[i]
		row, err := l.find(l.probes[i], hash, terms[i].Term)
		if err != nil {
			return err
		}
		if err := f(i, row, changes); err != nil {
			return err
		}
	}
	return nil
}

// lookOver fills l.changes and l.ends from the overlay.
func (l *Lookup) lookOver(terms []count.TermCount, hashes []uint64, seq uint64) {
	l.changes, l.ends = l.changes[:0], slices.Grow(l.ends[:0], len(terms))
	o := l.Overlay
	o.RLock()
	defer o.RUnlock()
	any := o.Size() > 0
	if any {
		l.changes = slices.Grow(l.changes, len(terms))
		l.near += o.Touch(hashes)
	}
	for i, hash := range hashes {
		if any {
			l.changes = o.Get(l.changes, hash, terms[i].Term, l.Dir.Tables[l.probes[i].table].Seq(), seq)
		}
		l.ends = append(l.ends, len(l.changes))
	}
}

// Forget drops what leads into the mapping, which may be unmapped before it is overwritten, and
// the overlay, and keeps the memory.
func (l *Lookup) Forget() {
	clear(l.changes)
	clear(l.places)
	l.Overlay = nil
}

// DamagedRow returns the error of a row that is damaged as err says.
func DamagedRow(term []byte, err error) error {
	return &fault.Error{What: fmt.Sprintf("row of term %.40q", term), Err: err}
}

// probe begins the search for many terms in their tables, and fills l.probes. It reads two places
// of memory per term, first the slot, then the row, each time for all terms in a loop that does
// nothing else: a processor looks ahead a few hundred instructions, and so overlaps as many cache
// misses as it can.
func (l *Lookup) probe(hashes []uint64) {
	l.probes, l.places = slices.Grow(l.probes[:0], len(hashes)), slices.Grow(l.places[:0], 2*len(hashes))
	for _, hash := range hashes {
		at := probe{table: uint32(l.Dir.At(hash))}
		t := &l.Dir.Tables[at.table]
		at.slot = t.Home(hash)
		l.probes = append(l.probes, at)
		l.places = append(l.places, t.SlotAt(at.slot))
	}
	l.near += touch(l.places)
	for i, hash := range hashes {
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
