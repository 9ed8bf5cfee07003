package layout

import (
	"bytes"
	"maps"
	"slices"

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
