package layout

import (
	"cmp"
	"errors"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// errEnough ends a walk through the log.
var errEnough = errors.New("enough")

// Conversion is what becomes of records that every table holds: their documents' ledger entries.
type Conversion struct {
	IDs     []count.DocID                 // whose entries change, in order
	Dropped []uint64                      // the records that go
	entries map[count.DocID]*stored.Entry // nil: forgotten
}

// Conversion returns that of the records above from and up to to.
func (tx Tx) Conversion(from, to uint64) (*Conversion, error) {
	c := &Conversion{entries: make(map[count.DocID]*stored.Entry)}
	err := tx.EachRecord(from, func(rec *stored.Record) error {
		if rec.Seq > to {
			return errEnough
		}
		id := rec.Doc.ID
		if rec.Op == stored.OpUntrain {
			c.Dropped = append(c.Dropped, rec.Seq)
			if rec.Keep == count.LedgerNone {
				return nil
			}
			old := c.entries[id]
			if old == nil {
				var err error
				if old, err = tx.Entry(id); err != nil {
					return err
				}
			}
			if old != nil && old.Keep == count.LedgerFull {
				c.Dropped = append(c.Dropped, old.Seq)
			}
			c.entries[id] = nil
			return nil
		}
		if rec.Keep != count.LedgerNone {
			e := rec.Entry()
			c.entries[id] = &e
		}
		if rec.Keep != count.LedgerFull {
			c.Dropped = append(c.Dropped, rec.Seq)
		}
		return nil
	})
	if err != nil && err != errEnough {
		return nil, err
	}
	c.IDs = InOrder(c.entries)
	return c, nil
}

// Convert writes a conversion.
func (tx Tx) Convert(c *Conversion) error {
	return cmp.Or(tx.DeleteRecords(c.Dropped...), tx.PutEntries(c.IDs, c.entries))
}
