package store

import (
	"cmp"
	"context"
	"math"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/totals"
)

// due reports whether a tail with so many more records is full.
func (w *writer) due(records int) bool {
	documents, bytes := w.db.tuning().tailLimit(w.Dir.Bytes, w.mem.overlay != nil)
	return w.totals.Seq+uint64(records)-w.mem.merged > uint64(documents) || w.totals.TailBytes > bytes
}

// merge brings all tables up to date, and moves the records of the tail into the ledger, if the
// tail is full.
func (w *writer) merge() error {
	if !w.whole || w.records() == 0 || !w.due(0) {
		return nil
	}
	if err := w.db.file.CheckHeads(); err != nil {
		return err
	}
	target := w.db.tuning().tableTarget(w.Dir.Bytes)
	for i := range w.Dir.Bounds {
		changed, _, err := w.Dir.Changed(i, w.Overlay, math.MaxUint64, &w.Fold)
		if err == nil {
			err = w.tx.RewriteTable(&w.db.header.Key, &w.Dir, i, changed, w.totals.Seq, target)
		}
		if err != nil {
			return err
		}
	}
	w.merged = true
	w.totals = w.totals.Clone()
	w.totals.TailBytes = 0
	return cmp.Or(w.tx.ConvertLog(w.mem.merged), w.totals.Put(w.tx, w.totals.Seq))
}

// mergeClosing merges the whole tail into the tables if it is too long for the next
// process, which may handle one message only, and else writes the totals. Errors are
// ignored: the log has the documents. The caller holds db.commit.
func (db *DB) mergeClosing() {
	m := db.memory
	if db.making || db.file == nil || m == nil || m.overlay == nil || !db.file.Changed() || !db.file.Sound() {
		return
	}
	if db.settleTail(m) != nil {
		db.forgetMemory()
	}
}

func (db *DB) settleTail(m *memory) (err error) {
	defer fault.Guard(&err, "")()
	longer := func(t *totals.Totals, tables int) bool {
		documents, bytes := db.tuning().tailLimit(tables, false)
		return t.Seq-m.merged > uint64(documents) || t.TailBytes > bytes
	}
	long := longer(m.newest(), 0)
	if long {
		err = db.rewrite(context.Background(), func(b *bulk) error {
			if long = longer(b.totals, b.Dir.Bytes); !long {
				return errNothing
			}
			return nil
		})
	}
	if err != nil || long {
		return err
	}
	return db.update(func(tx layout.Tx) (*memory, error) {
		done, err := db.memory.newest().PutDue(tx, db.tuning().sumEvery)
		if err == nil && !done {
			err = errNothing
		}
		return nil, err
	})
}
