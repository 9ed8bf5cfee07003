package layout

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// Entry returns the ledger's entry of a document, nil if there is none.
func (tx Tx) Entry(id count.DocID) (*stored.Entry, error) {
	v := tx.Bucket(stored.BucketLedger).Get(id[:])
	if v == nil {
		return nil, nil
	}
	e, err := stored.DecodeEntry(id[:], v)
	if err != nil {
		return nil, err
	}
	return &e, nil
}

// PutEntries writes the entries of ids, which ascend, so that each page is touched once; nil deletes.
func (tx Tx) PutEntries(ids []count.DocID, entries map[count.DocID]*stored.Entry) error {
	ledger := tx.Bucket(stored.BucketLedger)
	for _, id := range ids {
		var err error
		if e := entries[id]; e == nil {
			err = ledger.Delete(id[:])
		} else {
			err = ledger.Put(id[:], e.Encode(id))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// InOrder returns the ids in ascending order.
func InOrder[V any](entries map[count.DocID]V) []count.DocID {
	return slices.SortedFunc(maps.Keys(entries), func(a, b count.DocID) int { return bytes.Compare(a[:], b[:]) })
}

// EachEntry calls f with each entry, in order of id. Entries are valid until the ledger changes.
func (tx Tx) EachEntry(f func(id count.DocID, e *stored.Entry) error) error {
	var last []byte
	return tx.Bucket(stored.BucketLedger).ForEach(func(k, v []byte) error {
		if len(k) != len(count.DocID{}) || bytes.Compare(k, last) <= 0 {
			return &fault.Error{What: "list of ledger entries"} // or it may have no end
		}
		last = k
		e, err := stored.DecodeEntry(k, v)
		if err != nil {
			return err
		}
		return f(count.DocID(k), &e)
	})
}

// errEnough ends a walk through the log.
var errEnough = errors.New("enough")

// ConvertLog turns the records above from and up to to, which every table holds, into ledger
// entries. First it calls check with the documents of these entries, and whether records go.
func (tx Tx) ConvertLog(from, to uint64, check func(ids []count.DocID, drops bool) error) error {
	entries := make(map[count.DocID]*stored.Entry) // nil: forgotten
	var drop []uint64
	err := tx.EachRecord(from, func(rec *stored.Record) error {
		if rec.Seq > to {
			return errEnough
		}
		id := rec.Doc.ID
		if rec.Op == stored.OpUntrain {
			drop = append(drop, rec.Seq)
			if rec.Keep == count.LedgerNone {
				return nil
			}
			old := entries[id]
			if old == nil {
				var err error
				if old, err = tx.Entry(id); err != nil {
					return err
				}
			}
			if old != nil && old.Keep == count.LedgerFull {
				drop = append(drop, old.Seq)
			}
			entries[id] = nil
			return nil
		}
		if rec.Keep != count.LedgerNone {
			e := rec.Entry()
			entries[id] = &e
		}
		if rec.Keep != count.LedgerFull {
			drop = append(drop, rec.Seq)
		}
		return nil
	})
	if err != nil && err != errEnough {
		return err
	}
	ids := InOrder(entries)
	if err := check(ids, len(drop) > 0); err != nil {
		return err
	}
	return cmp.Or(tx.DeleteRecords(drop...), tx.PutEntries(ids, entries))
}

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
