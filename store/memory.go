package store

import (
	"math"
	"sync"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/totals"
)

// memory is what an open database knows beside the file. It is rebuilt from
// the file whenever a commit fails.
type memory struct {
	merged uint64 // every table holds the records up to here

	mu       sync.Mutex
	versions []*totals.Totals // the last is the newest; in order of seq

	// A process that lives for one message never makes these: it looks through
	// the tail of the log for the terms that it needs.
	overlay *rows.Overlay          // complete for the tail, or nil
	recent  map[count.DocID]recent // with the overlay; only the writer looks at it
	stale   []stale                // with the overlay; in order of seq
}

// stale is a range of hashes whose tables hold the records up to seq, so that
// the overlay's rows may go when no reader is before that.
type stale struct{ low, high, seq uint64 }

// purge drops the rows of the overlay that no reader from oldest on needs.
func (m *memory) purge(oldest uint64) {
	for len(m.stale) > 0 && m.stale[0].seq <= oldest {
		m.overlay.Purge(m.stale[0].low, m.stale[0].high, m.stale[0].seq)
		m.stale = m.stale[1:]
	}
}

// lookup finds rows as they are now: those of the tables, with what the overlay changes.
type lookup struct {
	dir     layout.Directory
	overlay *rows.Overlay
	fold    rows.Folder
	changes []rows.Change
	row     table.Row
}

// find returns the row of term in its table, or nil, and what changes in it, valid until
// the next call.
func (l *lookup) find(hash uint64, term []byte) ([]byte, []rows.Change, error) {
	l.changes = l.overlay.Get(l.changes[:0], hash, term, l.dir.Position(hash), math.MaxUint64)
	row, err := l.dir.Find(hash, term)
	return row, l.changes, err
}

// Row returns the row of term, or nil.
func (l *lookup) Row(hash uint64, term []byte) ([]byte, error) {
	row, changes, err := l.find(hash, term)
	if err != nil {
		return nil, err
	}
	return l.fold.Apply(row, changes)
}

// documents fills in how many documents of the class of a step, and of all classes, have
// its term.
func (l *lookup) documents(s *rows.Step) error {
	if l.overlay.Documents(s) {
		return nil
	}
	row, changes, err := l.find(s.Hash, s.Term)
	if err != nil {
		return err
	}
	c, err := l.row.DecodeColumns(row)
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
	for i := range changes {
		s.All += changes[i].Docs
		if changes[i].Class == s.Class {
			s.Docs += changes[i].Docs
		}
	}
	return nil
}

// recent is what the tail of the log says of a document.
type recent struct {
	seq   uint64       // of its last record
	entry stored.Entry // what the ledger will say of it
	gone  bool         // it was forgotten
}

// at returns the totals as of seq.
func (m *memory) at(seq uint64) *totals.Totals {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := len(m.versions) - 1; i >= 0; i-- {
		if m.versions[i].Seq <= seq {
			return m.versions[i]
		}
	}
	return nil
}

func (m *memory) newest() *totals.Totals {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.versions[len(m.versions)-1]
}

// publish adds t, and drops those that no reader from position oldest on sees.
func (m *memory) publish(t *totals.Totals, oldest uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	drop := 0
	for drop+1 < len(m.versions) && m.versions[drop+1].Seq <= oldest {
		drop++
	}
	m.versions = append(append([]*totals.Totals(nil), m.versions[drop:]...), t)
}

// load returns the memory that goes with tx. The overlay is made if asked for,
// or if it costs nothing because the tables hold the whole log.
func (db *DB) load(tx layout.Tx, overlay bool) (*memory, error) {
	t, base, err := totals.Load(tx)
	if err != nil {
		return nil, err
	}
	m := &memory{merged: base.Merged, versions: []*totals.Totals{t}}
	if !overlay && t.Seq != base.Merged {
		return m, nil
	}
	var dir layout.Directory
	if err := dir.Load(tx); err != nil {
		return nil, err
	}
	m.recent = make(map[count.DocID]recent)
	m.overlay, err = tx.SumTail(&dir, &db.header.Key, nil, func(rec *stored.Record) {
		if rec.Keep != count.LedgerNone {
			m.recent[rec.Doc.ID] = recentOf(rec)
		}
	})
	return m, err
}

func recentOf(rec *stored.Record) recent {
	return recent{seq: rec.Seq, entry: rec.Entry(), gone: rec.Op == stored.OpUntrain}
}
