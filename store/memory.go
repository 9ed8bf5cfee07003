package store

import (
	"math"
	"sync"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/totals"
)

// memory is the state of an open database outside the file. It is rebuilt from the file
// whenever a commit fails.
type memory struct {
	merged uint64 // every table holds the records up to here

	mu       sync.Mutex
	versions []*totals.Totals // the last is the newest; in order of seq

	// A process that handles one message never builds these: it scans the tail of the log
	// for the terms that it needs.
	overlay *rows.Overlay   // complete for the tail, or nil
	recent  *layout.Recents // with the overlay
	stale   []stale         // with the overlay; in order of seq
}

// stale is a range of hashes whose tables hold the records up to seq, so that the
// overlay's rows can be dropped when no reader is before seq.
type stale struct{ low, high, seq uint64 }

// purgedAtOnce is how many ranges a transaction purges. It adds at most one, so that what a
// long reader held back is gone soon, but no single transaction takes the time for all of it.
const purgedAtOnce = 2

// purge drops rows of the overlay that no reader from oldest on needs.
func (m *memory) purge(oldest uint64) {
	for n := 0; n < purgedAtOnce && len(m.stale) > 0 && m.stale[0].seq <= oldest; n++ {
		m.overlay.Purge(m.stale[0].low, m.stale[0].high, m.stale[0].seq)
		m.stale = m.stale[1:]
	}
}

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

func (m *memory) newest() *totals.Totals { return m.at(math.MaxUint64) }

// publish adds t, and drops the totals that no reader from position oldest on sees.
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
func (db *DB) load(f *file.File, tx layout.Tx, overlay bool) (*memory, error) {
	base, err := tx.Corpus()
	if err != nil {
		return nil, err
	}
	// Opening has not looked at the pages with the tail.
	if err := f.CheckKeys(tx.Tx, stored.BucketLog, stored.SeqKey(base.Merged+1), nil); err != nil {
		return nil, err
	}
	t, err := totals.Load(tx, base)
	if err != nil {
		return nil, err
	}
	m := &memory{merged: base.Merged, versions: []*totals.Totals{t}}
	if !overlay && t.Seq != base.Merged {
		return m, nil
	}
	var dir layout.Directory
	if t.Seq != base.Merged { // else no table lacks a record
		if err := dir.Load(tx); err != nil {
			return nil, err
		}
	}
	m.recent = layout.NewRecents()
	m.overlay, err = tx.SumTail(&dir, &db.header.Key, nil, func(rec *stored.Record) {
		if rec.Keep != count.LedgerNone {
			m.recent.Of[rec.Doc.ID] = layout.RecentOf(rec)
		}
	})
	return m, err
}

// orForget calls f, and forgets the memory if it fails or panics.
func (db *DB) orForget(f func() error) error {
	failed := true // should it panic
	defer func() {
		if failed {
			db.forgetMemory()
		}
	}()
	err := f()
	failed = err != nil
	return err
}

// forgetMemory makes the next call read the file again.
func (db *DB) forgetMemory() {
	db.mu.Lock()
	db.memory = nil
	db.mu.Unlock()
}
