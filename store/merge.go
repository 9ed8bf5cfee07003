package store

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"sync"

	bolt "go.etcd.io/bbolt"

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
	meta := w.tx.Bucket(bucketMeta)
	r := round{start: w.totals.seq}
	if v := meta.Get(keyRound); v != nil {
		var err error
		if r, err = decodeRound(v); err != nil {
			return err
		}
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
		err = boltError(meta.Put(keyRound, r.encode()))
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
func (w *writer) endRound(r round) error {
	if err := w.tx.Bucket(bucketMeta).Delete(keyRound); err != nil {
		return boltError(err)
	}
	if err := convertLog(w.tx, w.mem.merged, r.start); err != nil {
		return err
	}
	if err := putTotals(w.tx, w.totals, r.start); err != nil {
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
func putTotals(tx *bolt.Tx, t *totals, merged uint64) error {
	b := tx.Bucket(bucketTotal)
	for _, c := range t.classes {
		key := classKey(c.ID)
		if err := b.Put(key, encodeClass(c, key)); err != nil {
			return boltError(err)
		}
	}
	base := corpus{merged: merged, seq: t.seq, vocabulary: t.vocabulary, epoch: t.epoch}
	return boltError(tx.Bucket(bucketMeta).Put(keyCorpus, base.encode()))
}

// convertLog turns the records above from and up to to, which every table
// holds, into what the ledger keeps of them.
func convertLog(tx *bolt.Tx, from, to uint64) error {
	log, ledger := tx.Bucket(bucketLog), tx.Bucket(bucketLedger)
	entries := make(map[count.DocID]*entry) // nil: forgotten
	var drop []uint64
	err := eachRecord(tx, from, func(rec *record) error {
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
				if old, err = ledgerEntry(tx, id); err != nil {
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
		if err := log.Delete(seqKey(seq)); err != nil {
			return boltError(err)
		}
	}
	return putEntries(ledger, entries)
}

// putEntries writes the entries in order of id, so that each page is touched
// once; nil deletes.
func putEntries(ledger *bolt.Bucket, entries map[count.DocID]*entry) error {
	for _, id := range idsInOrder(entries) {
		var err error
		if e := entries[id]; e == nil {
			err = ledger.Delete(id[:])
		} else {
			err = ledger.Put(id[:], e.encode(id))
		}
		if err != nil {
			return boltError(err)
		}
	}
	return nil
}

func idsInOrder[V any](entries map[count.DocID]V) []count.DocID {
	return slices.SortedFunc(maps.Keys(entries), func(a, b count.DocID) int { return bytes.Compare(a[:], b[:]) })
}

// rewriteTable replaces table i by one that has rows in place of those of the
// same terms, complete up to seq, or by several if it has grown to twice the
// target. rows may be in any order, and is sorted.
func rewriteTable(tx *bolt.Tx, key *table.Key, dir *directory, i int, rows []hashedRow, seq uint64, target int) error {
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
		return boltError(putTable(tx, seqKey(dir.bounds[i]), b.Finish(seq)))
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
func splitTable(tx *bolt.Tx, b *table.Builder, bound uint64, rows []hashedRow, seq uint64, target int) error {
	for i, r := range rows {
		b.Add(r.hash, r.term, r.row)
		// Terms of one hash stay in one table. A single row is small beside
		// the target, so that no table outgrows its offsets.
		if b.Size() >= target && i+1 < len(rows) && rows[i+1].hash != r.hash && r.hash < bound {
			if err := putTable(tx, seqKey(r.hash), b.Finish(seq)); err != nil {
				return boltError(err)
			}
			b.Reset()
		}
	}
	return boltError(putTable(tx, seqKey(bound), b.Finish(seq)))
}

func compareHash(a, b hashedRow) int {
	return cmp.Or(cmp.Compare(a.hash, b.hash), bytes.Compare(a.term, b.term))
}
