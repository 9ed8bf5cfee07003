package store

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// This file is how a database is repaired whose ledger keeps the counts of every
// document: they are learned again, into a new file.

// reload learns the documents of all sound records, and returns the new database.
func (r *repair) reload(l *remains) (*DB, error) {
	alive := r.alive(l)
	db, err := r.open(Options{Analyzer: *l.analyzer, Ledger: count.LedgerFull})
	if err != nil {
		return nil, err
	}
	if err := r.learnAll(db, l, alive); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

func (r *repair) learnAll(db *DB, l *remains, alive []rescued) error {
	if err := db.rewrite(func(b *bulk) error { return r.prepare(b, l) }, nil); err != nil {
		return err
	}
	for len(alive) > 0 {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := db.rewrite(func(b *bulk) (err error) { alive, err = r.learn(b, l, alive); return err }, nil); err != nil {
			return err
		}
	}
	return nil
}

// alive returns the records of the documents that are learned, in order of
// position, and says which are lost.
func (r *repair) alive(l *remains) []rescued {
	alive, gone := make(map[count.DocID]int), make(map[count.DocID]bool)
	expected := uint64(0)
	for _, c := range l.totals {
		expected += c.Docs
	}
	for i, rec := range l.records {
		if rec.op == stored.OpTrain {
			alive[rec.id] = i
		} else {
			delete(alive, rec.id)
			gone[rec.id] = true
		}
		if l.corpus != nil && rec.seq > l.corpus.Seq {
			expected += uint64((&stored.Record{Op: rec.op}).Sign()) // wraps for -1
		}
	}
	for id := range l.entries {
		if _, ok := alive[id]; !ok && !gone[id] {
			r.out.Missing = append(r.out.Missing, id)
		}
	}
	slices.SortFunc(r.out.Missing, func(a, b count.DocID) int { return cmp.Compare(l.entries[a].Seq, l.entries[b].Seq) })
	switch n := len(r.out.Missing); {
	case n == 1:
		r.lost("1 document, whose log record is damaged")
	case n > 1:
		r.lost("%d documents, whose log records are damaged", n)
	}
	gaps := l.gaps()
	r.lostTail(l, gaps)
	known := uint64(len(alive) + len(r.out.Missing))
	if l.corpus != nil && len(l.odd) == 0 && len(gaps) == 0 && expected > known {
		r.lost("%s of which nothing is left, not even the id", documents(expected-known))
	}
	order := slices.Sorted(maps.Values(alive))
	list := make([]rescued, len(order))
	for i, at := range order {
		list[i] = l.records[at]
	}
	r.rebuilt("the count tables, totals and ledger of %s, from the log", documents(len(list)))
	return list
}

// gaps returns the positions of the tail that have no sound record.
func (l *remains) gaps() []uint64 {
	if l.corpus == nil {
		return nil
	}
	var gaps []uint64
	next := l.corpus.Merged + 1
	for _, rec := range l.records {
		for ; next < rec.seq && len(gaps) < maxGaps; next++ {
			gaps = append(gaps, next)
		}
		next = max(next, rec.seq+1)
	}
	for ; next <= l.last && len(gaps) < maxGaps; next++ {
		gaps = append(gaps, next)
	}
	return gaps
}

// maxGaps bounds the memory of gaps in a file whose positions are absurd. No tail
// is so long.
const maxGaps = 1 << 24

// lostTail says which records of the tail are lost.
func (r *repair) lostTail(l *remains, gaps []uint64) {
	const what = "; a document that one of them forgot or moved is as it was before"
	switch n := len(gaps); {
	case n == 1:
		r.lost("log record %d, not yet in the tables%s", gaps[0], what)
	case n > 1:
		r.lost("%d log records between %d and %d, not yet in the tables%s", n, gaps[0], gaps[n-1], what)
	case l.corpus == nil || !l.Buckets[string(stored.BucketLog)].Headed:
		r.lost("perhaps the last log records: how many there were is not known%s", what)
	}
}

// prepare gives the new database its classes and what is kept beside the counts.
func (r *repair) prepare(b *bulk, l *remains) error {
	for _, id := range slices.Sorted(maps.Keys(l.names)) {
		b.totals.insert(&count.Class{ID: id, Name: l.names[id]})
	}
	r.sayNames(l)
	if c := l.corpus; c != nil {
		b.totals.epoch, b.fold.Epoch = c.Epoch, c.Epoch
	}
	return r.settings(b.tx, l)
}

func (r *repair) sayNames(l *remains) {
	for _, id := range l.unnamed {
		r.lost("the name of class %d; it is called %q now, which 'class rename' changes", id, l.names[id])
	}
	if l.nameless && len(l.odd) == 0 {
		r.lost("perhaps a class without documents, of which only damaged totals were left")
	}
}

// settings writes what is neither documents nor counts.
func (r *repair) settings(tx layout.Tx, l *remains) error {
	if l.position != nil {
		if err := tx.Bucket(stored.BucketMeta).Put(stored.KeyPosition, l.position); err != nil {
			return fault.Bolt(err)
		}
	}
	state := l.Buckets[string(stored.BucketState)]
	torn := state.Torn
	for _, p := range state.Pieces {
		v := l.Value(p)
		if wire.CheckCRC(v, p.Key) == nil {
			torn = true
		} else if err := tx.Bucket(stored.BucketState).Put(p.Key, v); err != nil {
			return fault.Bolt(err)
		}
	}
	sum, known, err := layout.StateDigest(l.state)
	switch {
	case torn:
		r.lost("what was fitted to the counts; 'calibrate' fits it again")
	case err == nil && known && l.header != nil && sum != tx.SumState(&l.header.Key):
		r.lost("perhaps what was fitted to the counts last: some of it is of an earlier time; 'calibrate' fits it again")
	}
	h, err := tx.Header()
	if err != nil {
		return err
	}
	return tx.PutStateDigest(tx.SumState(&h.Key))
}

// learn learns as many documents as one transaction should have, and returns the
// records of the others.
func (r *repair) learn(b *bulk, l *remains, list []rescued) ([]rescued, error) {
	for size := 0; len(list) > 0 && size < addSize; list = list[1:] {
		rec, err := l.Decode(&list[0])
		if err != nil {
			return list, err
		}
		d := rec.Doc.Decode("")
		doc, err := encoded.Of(&d)
		if err != nil {
			return list, fmt.Errorf("log record %d: %w", rec.Seq, err)
		}
		size += len(doc.Raw)
		if err := b.Train(b.totals.classes[b.totals.at(rec.Class)], doc, count.LedgerFull); err != nil {
			return list, err
		}
	}
	return list, nil
}
