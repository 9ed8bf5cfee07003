package layout

import (
	"cmp"
	"errors"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/stored"
)

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
