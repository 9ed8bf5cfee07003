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

// Recents are the documents of the tail. Only the writer changes them, while many ask LastOf; he
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

// LastOf is Tx.LastOf for a reader at position seq, without a scan of the tail unless the document
// has changed since. There may be no Recents.
func (r *Recents) LastOf(tx Tx, id count.DocID, seq uint64) (*stored.Record, error) {
	base, err := tx.Corpus()
	if err != nil || r == nil {
		return tx.LastOf(id)
	}
	at, sure := r.last(id, base.Merged, seq)
	if !sure {
		return tx.LastOf(id)
	}
	if at == 0 {
		return nil, nil
	}
	rec, err := tx.Record(at)
	rec.Epoch = base.Epoch
	return &rec, err
}

// last returns the position of the last record of a document for a reader at seq, whose tail
// begins after merged, 0 if there is none. sure is false if that is no longer known.
func (r *Recents) last(id count.DocID, merged, seq uint64) (at uint64, sure bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	switch seen, known := r.Of[id]; {
	case merged < r.from || known && seen.Seq > seq:
		return 0, false
	case known && seen.Seq > merged:
		return seen.Seq, true
	}
	return 0, true
}
