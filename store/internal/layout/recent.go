package layout

import (
	"maps"
	"sync"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// Recent is the state of a document after the tail of the log.
type Recent struct {
	Seq   uint64       // of its last record
	Entry stored.Entry // its future ledger entry
	Gone  bool         // it was forgotten
}

// RecentOf returns the state of a document after a record.
func RecentOf(rec *stored.Record) Recent {
	return Recent{rec.Seq, rec.Entry(), rec.Op == stored.OpUntrain}
}

// Recents are the documents of the tail. Only the writer changes them, while many ask Last; he
// reads Of without a lock.
type Recents struct {
	Of   map[count.DocID]Recent
	mu   sync.RWMutex
	from uint64 // documents with no record after it have gone
}

// NewRecents returns none.
func NewRecents() *Recents { return &Recents{Of: make(map[count.DocID]Recent)} }

// Set puts the state of a document.
func (r *Recents) Set(id count.DocID, state Recent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Of[id] = state
}

// Forget drops the documents with no record after seq. There may be no Recents.
func (r *Recents) Forget(seq uint64) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.from = seq
	maps.DeleteFunc(r.Of, func(_ count.DocID, seen Recent) bool { return seen.Seq <= seq })
}

// Last returns the state of a document for a reader at position seq, nil unless the tail has a
// record of it. It scans the tail only if the document has changed since. There may be no Recents.
func (r *Recents) Last(tx Tx, id count.DocID, seq uint64) (*Recent, error) {
	base, err := tx.Corpus()
	if err != nil {
		return nil, err
	}
	if r != nil {
		r.mu.RLock()
		seen, known := r.Of[id]
		sure := base.Merged >= r.from && (!known || seen.Seq <= seq)
		r.mu.RUnlock()
		switch {
		case sure && seen.Seq > base.Merged:
			return &seen, nil
		case sure:
			return nil, nil
		}
	}
	rec, err := tx.LastOf(id)
	if err != nil || rec == nil {
		return nil, err
	}
	return new(RecentOf(rec)), nil
}
