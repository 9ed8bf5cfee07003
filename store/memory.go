package store

import (
	"maps"
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
	overlay *rows.Overlay // complete for the tail, or nil
	recent  *recents      // with the overlay
	stale   []stale       // with the overlay; in order of seq
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

// recent is the state of a document after the tail of the log.
type recent struct {
	seq   uint64       // of its last record
	entry stored.Entry // its future ledger entry
	gone  bool         // it was forgotten
}

// recents are the documents of the tail. Only the writer changes them, while many read; he
// reads without the lock.
type recents struct {
	sync.RWMutex
	of   map[count.DocID]recent
	from uint64 // documents with no record after it have gone
}

func newRecents() *recents { return &recents{of: make(map[count.DocID]recent)} }

// set puts the state of a document, or with known false takes it away.
func (r *recents) set(id count.DocID, state recent, known bool) {
	r.Lock()
	defer r.Unlock()
	if known {
		r.of[id] = state
	} else {
		delete(r.of, id)
	}
}

// forget drops the documents with no record after seq.
func (r *recents) forget(seq uint64) {
	r.Lock()
	defer r.Unlock()
	r.from = seq
	maps.DeleteFunc(r.of, func(_ count.DocID, seen recent) bool { return seen.seq <= seq })
}

// last returns the position of the last record of a document for a reader at seq, whose tail
// begins after merged, 0 if there is none. sure is false if that is no longer known.
func (r *recents) last(id count.DocID, merged, seq uint64) (at uint64, sure bool) {
	r.RLock()
	defer r.RUnlock()
	switch seen, known := r.of[id]; {
	case merged < r.from || known && seen.seq > seq:
		return 0, false
	case known && seen.seq > merged:
		return seen.seq, true
	}
	return 0, true
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
	if err := db.checkTail(f, tx); err != nil {
		return nil, err
	}
	t, base, err := totals.Load(tx)
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
	m.recent = newRecents()
	m.overlay, err = tx.SumTail(&dir, &db.header.Key, nil, func(rec *stored.Record) {
		if rec.Keep != count.LedgerNone {
			m.recent.of[rec.Doc.ID] = recentOf(rec)
		}
	})
	return m, err
}

// checkTail checks the pages with the tail of the log, which a reader has not checked on
// opening.
func (db *DB) checkTail(f *file.File, tx layout.Tx) error {
	base, err := tx.Corpus()
	if err != nil || !db.options.ReadOnly {
		return err
	}
	return f.CheckKeys(tx.Tx, stored.BucketLog, stored.SeqKey(base.Merged+1), nil)
}

func recentOf(rec *stored.Record) recent {
	return recent{seq: rec.Seq, entry: rec.Entry(), gone: rec.Op == stored.OpUntrain}
}

// forgetMemory makes the next call read the file again.
func (db *DB) forgetMemory() {
	db.mu.Lock()
	db.memory = nil
	db.mu.Unlock()
}
