package store

import (
	"cmp"
	"context"
	"math"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/totals"
)

// tailLimit returns the full length of the tail in this process.
func (w *writer) tailLimit() (documents, bytes int) {
	return w.db.tuning().tailLimit(w.Dir.Bytes, w.mem.overlay != nil)
}

// longer reports whether a tail up to seq is more than a part of its full length.
func (w *writer) longer(seq uint64, part int) bool {
	documents, bytes := w.tailLimit()
	return seq-w.mem.merged > uint64(documents/part) || w.totals.TailBytes > bytes/part
}

// mergeDue reports whether a tail up to seq is long enough for this commit to merge.
func (w *writer) mergeDue(seq uint64) bool { return w.longer(seq, 2) }

// turnToMerge reports whether a process that trains once should sum the tail in order to
// merge: its records pass a multiple of mergeEvery, or the tail is full because moved
// documents, two records each, skipped the multiples.
func (w *writer) turnToMerge(records uint64) bool {
	seq, every := w.totals.Seq, uint64(w.db.tuning().mergeEvery)
	return w.longer(seq, 1) || w.mergeDue(seq+records) && (seq+records)/every != seq/every
}

// mergeSome updates the next tables, as many as this commit owes, and ends the round
// after the last.
func (w *writer) mergeSome() error {
	// Without a record the new tables would have the same position as readers that still see
	// the old tables, and need the overlay's rows with them.
	if !w.whole || w.records() == 0 || !w.mergeDue(w.totals.Seq) {
		return nil
	}
	r, err := w.tx.Round()
	if err != nil {
		return err
	}
	if r == nil {
		r = &stored.Round{Start: w.totals.Seq}
	}
	first := 0
	if r.Next > 0 {
		first = w.Dir.At(r.Next) + 1 // a table keeps its bound when it is split
	}
	if first == len(w.Dir.Bounds) { // the last table ends a round
		return &fault.Error{What: "merge position"}
	}
	last, err := w.mergeFrom(first, w.owed())
	if err != nil {
		return err
	}
	r.Next = w.Dir.Bounds[last]
	low, high, seq := w.Dir.Low(first), r.Next, w.totals.Seq
	if last == len(w.Dir.Bounds)-1 {
		err = w.endRound(r)
	} else {
		err = w.tx.PutRound(r)
	}
	w.committed = append(w.committed, func() {
		if w.mem.overlay != nil {
			w.mem.stale = append(w.mem.stale, stale{low, high, seq})
		}
	})
	return err
}

// owed returns the number of bytes of tables that this commit should rewrite, so that a
// round ends while the tail grows from half to full.
func (w *writer) owed() int {
	records, size := w.records(), w.totals.TailBytes-w.mem.newest().TailBytes
	if w.mem.overlay == nil {
		records, size = max(records, w.db.tuning().mergeEvery), size*w.db.tuning().mergeEvery
	}
	documents, bytes := w.tailLimit()
	byDocs := float64(w.Dir.Bytes) * 2 * float64(records) / float64(documents)
	byBytes := float64(w.Dir.Bytes) * 2 * float64(size) / float64(bytes)
	return int(max(float64(w.db.tuning().minMerge), byDocs, byBytes))
}

// mergeFrom rewrites tables from number first on, size bytes of them, at least
// one, and returns the number of the last.
func (w *writer) mergeFrom(first, size int) (int, error) {
	last := first
	for size -= w.Dir.Sizes[last]; size > 0 && last < len(w.Dir.Bounds)-1; size -= w.Dir.Sizes[last] {
		last++
	}
	target := w.db.tuning().tableTarget(w.Dir.Bytes)
	for i := first; i <= last; i++ {
		changed, _, err := w.Dir.Changed(i, w.Overlay, math.MaxUint64, &w.Fold)
		if err == nil && (len(changed) > 0 || w.Dir.Tables[i].Seq < w.totals.Seq) {
			err = w.tx.RewriteTable(&w.db.header.Key, &w.Dir, i, changed, w.totals.Seq, target)
		}
		if err != nil {
			return 0, err
		}
	}
	return last, nil
}

// endRound records that every table holds all records up to the position at which the
// round began, and moves these records into the ledger.
func (w *writer) endRound(r *stored.Round) error {
	err := cmp.Or(w.tx.PutRound(nil), w.tx.ConvertLog(w.mem.merged, r.Start, w.checkLeaves), w.totals.Put(w.tx, r.Start))
	if err != nil {
		return err
	}
	t := w.totals.Clone()
	t.TailBytes = 0
	w.totals = t
	w.committed = append(w.committed, func() {
		w.db.growth.ended = true
		w.mem.merged = r.Start
		w.mem.recent.Forget(r.Start)
	})
	return nil
}

// checkLeaves checks the leaves that new ledger entries change: much less to read than the heads
// of all leaves, which are checked if records go, since their leaves may join neighbours then.
func (r *learner) checkLeaves(ids []count.DocID, drops bool) (err error) {
	if drops {
		r.db.growth.look = true
		return r.db.file.CheckHeads()
	}
	for _, id := range ids {
		err = cmp.Or(err, r.db.file.CheckKeys(r.tx.Tx, stored.BucketLedger, id[:], id[:]))
	}
	return err
}

// tidy prepares a file to be closed. It merges the whole tail into the tables if that is too long
// for the next process, which may handle one message only, and else writes the totals; and it
// copies a file with much free space. Errors are ignored: the log has the documents, and the old
// file is as good. The caller holds db.commit.
func (db *DB) tidy() {
	if db.making || db.file == nil || !db.file.Changed() && !db.growth.freed {
		return
	}
	db.growth.freed = false
	if m := db.memory; m != nil && m.overlay != nil && db.file.Sound() && db.settleTail(m) != nil {
		db.forgetMemory()
	}
	_ = db.shrink(closingShare, 1<<62)
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
		done, err := db.memory.newest().PutDue(tx, db.tuning().mergeEvery)
		if err == nil && !done {
			err = errNothing
		}
		return nil, err
	})
}
