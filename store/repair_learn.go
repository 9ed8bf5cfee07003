package store

import (
	"fmt"
	"maps"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/salvage"
)

// This file is how a database is repaired whose ledger keeps the counts of every
// document: they are learned again, into a new file.

// reload learns the documents of all sound records, and returns the new database.
func (r *repair) reload(l *salvage.Remains) (*DB, error) {
	alive := l.Learned(&r.report)
	db, err := r.open(Options{Analyzer: *l.Analyzer, Ledger: count.LedgerFull})
	if err != nil {
		return nil, err
	}
	if err := r.learnAll(db, l, alive); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

func (r *repair) learnAll(db *DB, l *salvage.Remains, alive []salvage.FoundRecord) error {
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

// prepare gives the new database its classes and what is kept beside the counts.
func (r *repair) prepare(b *bulk, l *salvage.Remains) error {
	for _, id := range slices.Sorted(maps.Keys(l.Names)) {
		b.totals.insert(&count.Class{ID: id, Name: l.Names[id]})
	}
	if c := l.Corpus; c != nil {
		b.totals.epoch, b.fold.Epoch = c.Epoch, c.Epoch
	}
	return l.Settings(b.tx, &r.report)
}

// learn learns as many documents as one transaction should have, and returns the
// records of the others.
func (r *repair) learn(b *bulk, l *salvage.Remains, list []salvage.FoundRecord) ([]salvage.FoundRecord, error) {
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
