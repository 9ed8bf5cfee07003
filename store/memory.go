package store

import (
	"bytes"
	"sync"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/rows"
)

// memory is what an open database knows beside the file. It is rebuilt from
// the file whenever a commit fails.
type memory struct {
	merged uint64 // every table holds the records up to here

	mu       sync.Mutex
	versions []*totals // the last is the newest; in order of seq

	// A process that lives for one message never makes these: it looks through
	// the tail of the log for the terms that it needs.
	overlay *overlay               // complete for the tail, or nil
	recent  map[count.DocID]recent // with the overlay; only the writer looks at it
	stale   []stale                // with the overlay; in order of seq
}

// stale is a range of hashes whose tables hold the records up to seq, so that
// the overlay's rows may go when no reader is before that.
type stale struct{ low, high, seq uint64 }

// purge drops the rows of the overlay that no reader from position oldest on
// needs.
func (m *memory) purge(oldest uint64) {
	for len(m.stale) > 0 && m.stale[0].seq <= oldest {
		m.overlay.purge(m.stale[0].low, m.stale[0].high, m.stale[0].seq)
		m.stale = m.stale[1:]
	}
}

// recent is what the tail of the log says of a document.
type recent struct {
	seq   uint64 // of its last record
	entry entry  // what the ledger will say of it
	gone  bool   // it was forgotten
}

// at returns the totals as of seq.
func (m *memory) at(seq uint64) *totals {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := len(m.versions) - 1; i >= 0; i-- {
		if m.versions[i].seq <= seq {
			return m.versions[i]
		}
	}
	return nil
}

func (m *memory) newest() *totals {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.versions[len(m.versions)-1]
}

// publish adds t, and drops those that no reader from position oldest on sees.
func (m *memory) publish(t *totals, oldest uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	drop := 0
	for drop+1 < len(m.versions) && m.versions[drop+1].seq <= oldest {
		drop++
	}
	m.versions = append(append([]*totals(nil), m.versions[drop:]...), t)
}

// load returns the memory that goes with tx. The overlay is made if asked for,
// or if it costs nothing because the tables hold the whole log.
func (db *DB) load(tx Tx, overlay bool) (*memory, error) {
	t, base, err := loadTotals(tx)
	if err != nil {
		return nil, err
	}
	m := &memory{merged: base.merged, versions: []*totals{t}}
	if !overlay && t.seq != base.merged {
		return m, nil
	}
	var dir directory
	if err := dir.load(tx); err != nil {
		return nil, err
	}
	m.recent = make(map[count.DocID]recent)
	m.overlay, err = db.loadOverlay(tx, &dir, base.merged, nil, m.recent)
	return m, err
}

// loadOverlay sums the tail of the log, the records above merged, and returns
// the rows of the terms that are wanted, all of them if want is nil. The
// documents are noted in seen unless that is nil.
func (db *DB) loadOverlay(tx Tx, dir *directory, merged uint64, want *rows.Wanted, seen map[count.DocID]recent) (*overlay, error) {
	sum := rows.NewTally(&db.header.key)
	last := merged
	err := tx.EachRecord(merged, func(rec *record) error {
		last = rec.seq
		sum.AddDocument(&rec.doc, uint32(rec.class), rec.sign(), want, func(hash uint64) bool {
			return dir.tables[dir.at(hash)].Seq() < rec.seq
		})
		if seen != nil && rec.keep != count.LedgerNone {
			seen[rec.doc.ID] = rec.recent()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	base, err := tx.Corpus()
	if err != nil {
		return nil, err
	}
	o := newOverlay()
	f := rows.Folder{Epoch: base.epoch}
	for i := range sum.Size() {
		term, hash := sum.Term(i), sum.Hash(i)
		row, err := dir.find(hash, term)
		if err != nil {
			return nil, err
		}
		if row, err = f.Fold(row, sum, i, func(uint32, uint64, uint64) {}); err != nil {
			return nil, &CorruptError{What: "log", Err: err}
		}
		o.put(hash, term, last, row, last)
	}
	return o, nil
}

// recent returns what is to be remembered of the record's document.
func (rec *record) recent() recent {
	return recent{seq: rec.seq, entry: rec.entry(), gone: rec.op == opUntrain}
}

// entry returns what the ledger says of the record's document. It must not
// depend on whether the record has been merged.
func (rec *record) entry() entry {
	e := entry{keep: rec.keep, class: rec.class}
	switch rec.keep {
	case count.LedgerFull:
		e.seq = rec.seq
	case count.LedgerDigest:
		e.time, e.source, e.digest = rec.doc.Time, bytes.Clone(rec.doc.Source), rec.doc.Digest()
		e.epoch = rec.epoch
	}
	return e
}
