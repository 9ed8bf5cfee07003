package store

import (
	"bytes"
	"cmp"
	"slices"
	"sync"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/table"
)

// mergeDue says whether the tail, whose last record is seq, is long enough for
// this commit to merge.
func (w *writer) mergeDue(seq uint64) bool {
	return seq-w.mem.merged > uint64(w.db.tuning().tailLimit(w.dir.bytes)/2) || w.totals.tailBytes > maxTailBytes/2
}

// turnToMerge says whether a process that trains but once should sum the tail
// in order to merge: its records pass a multiple of mergeEvery, or the tail is
// full although nobody's did, since a document that is moved is two records.
func (w *writer) turnToMerge(records uint64) bool {
	seq, every := w.totals.seq, uint64(w.db.tuning().mergeEvery)
	full := seq-w.mem.merged > uint64(w.db.tuning().tailLimit(w.dir.bytes)) || w.totals.tailBytes > maxTailBytes
	return full || w.mergeDue(seq+records) && (seq+records)/every != seq/every
}

// mergeSome brings the tables next in turn up to date, as many as this commit
// owes, and ends the round when all have been.
func (w *writer) mergeSome() error {
	// Without a record the new tables would have the position of readers that
	// still see the old ones, and need the rows beside those.
	if !w.whole || len(w.records) == 0 || !w.mergeDue(w.totals.seq) {
		return nil
	}
	if err := w.db.file.CheckHeads(); err != nil {
		return err
	}
	r, err := w.tx.Round()
	if err != nil {
		return err
	}
	if r == nil {
		r = &round{start: w.totals.seq}
	}
	first := 0
	if r.next > 0 {
		first = w.dir.at(r.next) + 1 // a table keeps its bound when it is split
	}
	last, err := w.mergeFrom(first, w.owed())
	if err != nil {
		return err
	}
	r.next = w.dir.bounds[last]
	low, high, seq := w.dir.low(first), r.next, w.totals.seq
	if last == len(w.dir.bounds)-1 {
		err = w.endRound(r)
	} else {
		err = w.tx.PutRound(r)
	}
	w.onCommit(func() {
		if w.mem.overlay != nil {
			w.mem.stale = append(w.mem.stale, stale{low, high, seq})
		}
	})
	return err
}

func (w *writer) onCommit(f func()) {
	before := w.committed
	w.committed = func() {
		if before != nil {
			before()
		}
		f()
	}
}

// owed is how many bytes of tables this commit should rewrite, so that a round
// ends while the tail grows from half to full.
func (w *writer) owed() int {
	records, size := len(w.records), 0
	for i := range w.records {
		size += len(w.records[i].doc.Raw)
	}
	if w.mem.overlay == nil {
		records, size = max(records, w.db.tuning().mergeEvery), size*w.db.tuning().mergeEvery
	}
	byDocs := float64(w.dir.bytes) * 2 * float64(records) / float64(w.db.tuning().tailLimit(w.dir.bytes))
	byBytes := float64(w.dir.bytes) * 2 * float64(size) / float64(maxTailBytes)
	return int(max(float64(w.db.tuning().minMerge), byDocs, byBytes))
}

// mergeFrom rewrites tables from number first on, size bytes of them, at least
// one, and returns the number of the last.
func (w *writer) mergeFrom(first, size int) (int, error) {
	target := w.db.tuning().tableTarget(w.dir.bytes)
	var rows []hashedRow
	var terms []byte
	for i := first; ; i++ {
		rows, terms = rows[:0], terms[:0]
		w.overlay.between(w.dir.low(i), w.dir.bounds[i], func(hash uint64, term string, row []byte) {
			terms = append(terms, term...)
			rows = append(rows, hashedRow{hash, terms[len(terms)-len(term):], row})
		})
		if len(rows) > 0 || w.dir.tables[i].Seq() < w.totals.seq {
			if err := rewriteTable(w.tx, &w.db.header.key, &w.dir, i, rows, w.totals.seq, target); err != nil {
				return i, err
			}
		}
		size -= w.dir.sizes[i]
		if size <= 0 || i == len(w.dir.bounds)-1 {
			return i, nil
		}
	}
}

// endRound makes the position at which the round began the one up to which
// every table holds all records, and turns those records into the ledger.
func (w *writer) endRound(r *round) error {
	err := cmp.Or(w.tx.PutRound(nil), convertLog(w.tx, w.mem.merged, r.start), putTotals(w.tx, w.totals, r.start))
	if err != nil {
		return err
	}
	t := w.totals.clone()
	t.tailBytes = 0
	w.totals = t
	w.onCommit(func() {
		w.db.growth.ended = true
		w.mem.merged = r.start
		for id, seen := range w.mem.recent {
			if seen.seq <= r.start {
				delete(w.mem.recent, id)
			}
		}
	})
	return nil
}

// putTotals writes the totals, which hold all records so far, and that every
// table holds those up to merged.
func putTotals(tx Tx, t *totals, merged uint64) error {
	for _, c := range t.classes {
		if err := tx.PutTotals(c); err != nil {
			return err
		}
	}
	return tx.PutCorpus(corpus{merged: merged, seq: t.seq, vocabulary: t.vocabulary, epoch: t.epoch})
}

// convertLog turns the records above from and up to to, which every table
// holds, into what the ledger keeps of them.
func convertLog(tx Tx, from, to uint64) error {
	entries := make(map[count.DocID]*entry) // nil: forgotten
	var drop []uint64
	err := tx.EachRecord(from, func(rec *record) error {
		if rec.seq > to {
			return errNothing
		}
		id := rec.doc.ID
		if rec.op == opUntrain {
			drop = append(drop, rec.seq)
			if rec.keep == count.LedgerNone {
				return nil
			}
			old := entries[id]
			if old == nil {
				var err error
				if old, err = tx.Entry(id); err != nil {
					return err
				}
			}
			if old != nil && old.keep == count.LedgerFull {
				drop = append(drop, old.seq)
			}
			entries[id] = nil
			return nil
		}
		if rec.keep != count.LedgerNone {
			e := rec.entry()
			entries[id] = &e
		}
		if rec.keep != count.LedgerFull {
			drop = append(drop, rec.seq)
		}
		return nil
	})
	if err != nil && err != errNothing {
		return err
	}
	for _, seq := range drop {
		if err := tx.DeleteRecord(seq); err != nil {
			return err
		}
	}
	return tx.PutEntries(entries)
}

// rewriteTable replaces table i by one that has rows in place of those of the
// same terms, complete up to seq, or by several if it has grown to twice the
// target. rows may be in any order, and is sorted.
func rewriteTable(tx Tx, key *table.Key, dir *directory, i int, rows []hashedRow, seq uint64, target int) error {
	old := dir.tables[i]
	if !old.Sound() {
		return &CorruptError{What: tableName(dir.bounds[i]), Err: table.ErrCorrupt}
	}
	var replaced places
	size := dir.sizes[i]
	for _, r := range rows {
		row, place, err := old.Locate(r.hash, r.term)
		if err != nil {
			return &CorruptError{What: tableName(dir.bounds[i]), Err: err}
		}
		if row != nil {
			replaced = append(replaced, place)
		}
		size += len(r.term) + len(r.row) - len(row) + 8
	}
	rows = slices.DeleteFunc(rows, func(r hashedRow) bool { return r.row == nil })
	slices.Sort(replaced)
	b := builders.Get().(*table.Builder)
	defer builders.Put(b)
	b.Reset()
	var err error
	if size >= 2*target {
		err = old.All(func(place uint32, term, row []byte) bool {
			if !replaced.pass(place) {
				rows = append(rows, hashedRow{key.Hash(term), term, row})
			}
			return true
		})
		if err == nil {
			slices.SortFunc(rows, compareHash)
			return splitTable(tx, b, dir.bounds[i], rows, seq, target)
		}
	} else if err = b.AddTable(old, key, replaced); err == nil {
		// Their order decides nothing that can be seen, but equal training
		// should give equal bytes.
		slices.SortFunc(rows, compareHash)
		for _, r := range rows {
			b.Add(r.hash, r.term, r.row)
		}
		return tx.PutTable(dir.bounds[i], b.Finish(seq))
	}
	return &CorruptError{What: tableName(dir.bounds[i]), Err: err}
}

// builders are used again: a round of merging makes a table in nearly every training.
var builders = sync.Pool{New: func() any { return new(table.Builder) }}

// places are the places of rows in a table, in ascending order.
type places []uint32

// pass says whether place is among them, when asked for each place of a table in
// order; those passed are dropped.
func (p *places) pass(place uint32) bool {
	if len(*p) == 0 || (*p)[0] != place {
		return false
	}
	*p = (*p)[1:]
	return true
}

// splitTable writes rows, in order of hash, as tables of about the target size
// of which the last has the given bound.
func splitTable(tx Tx, b *table.Builder, bound uint64, rows []hashedRow, seq uint64, target int) error {
	for i, r := range rows {
		b.Add(r.hash, r.term, r.row)
		// Terms of one hash stay in one table. A single row is small beside
		// the target, so that no table outgrows its offsets.
		if b.Size() >= target && i+1 < len(rows) && rows[i+1].hash != r.hash && r.hash < bound {
			if err := tx.PutTable(r.hash, b.Finish(seq)); err != nil {
				return err
			}
			b.Reset()
		}
	}
	return tx.PutTable(bound, b.Finish(seq))
}

func compareHash(a, b hashedRow) int {
	return cmp.Or(cmp.Compare(a.hash, b.hash), bytes.Compare(a.term, b.term))
}
