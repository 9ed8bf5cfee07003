package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/summed"
	"github.com/polya-classifier/polya/store/internal/table"
)

// bulk brings the whole log and one large Delta into all tables in a single
// transaction. Documents are summed in memory by term, so that each row is
// written once however many documents have the term.
type bulk struct {
	ctx     context.Context
	db      *DB
	tx      layout.Tx
	entries map[count.DocID]*stored.Entry // ledger entries to write; nil deletes
	applied Applied
	base    uint64 // the last position before its own records
	gap     bool   // one of these is gone again
	trusted bool   // documents known only by their text were taken away
	channel bool   // some term is of a channel
	sums    sumEpoch

	overlaps overlaps

	layout.Lookup // of rows as they were before
	counted
}

func (db *DB) writeMany(r *request) error {
	db.growth.bulk = true
	return db.rewrite(r.ctx, func(b *bulk) error {
		if skip, err := r.skips(b.tx); err != nil || skip {
			r.applied.Skipped = skip
			return cmp.Or(err, errNothing)
		}
		if err := b.addOrigins(r.delta); err != nil {
			return err
		}
		if err := b.steps(r.delta); err != nil {
			return err
		}
		r.applied = b.applied
		db.growth.look = db.growth.look || b.applied.Moved+b.applied.Forgotten > 0 // else no page has lost anything
		if r.position == 0 {
			return nil
		}
		return b.tx.PutPosition(r.position)
	})
}

// rewrite merges the tail of the log, and the additions of f, into all tables. If ctx ends,
// nothing is changed.
func (db *DB) rewrite(ctx context.Context, f func(*bulk) error) error {
	if err := db.rememberLocked(true); err != nil {
		return err
	}
	var m *memory
	err := db.update(func(tx layout.Tx) (*memory, error) {
		m = nil
		b, err := db.newBulk(ctx, tx)
		if err != nil {
			return nil, err
		}
		if err := f(b); err != nil {
			return nil, err
		}
		m, err = b.finish()
		return m, err
	})
	if err == nil && m != nil && len(m.recent.Of) > 0 && db.enterLedger(m) != nil {
		db.forgetMemory() // all is learned, and stays in the tail for now
	}
	return err
}

// newBulk begins a rewriting in tx: the documents of the log are in the ledger.
func (db *DB) newBulk(ctx context.Context, tx layout.Tx) (*bulk, error) {
	if err := db.file.CheckHeads(); err != nil {
		return nil, err
	}
	b := &bulk{ctx: ctx, db: db, tx: tx, Lookup: layout.Lookup{Overlay: db.memory.overlay}, entries: make(map[count.DocID]*stored.Entry)}
	if err := b.Dir.Load(tx); err != nil {
		return nil, err
	}
	b.counted = counted{totals: db.memory.newest().Clone(), sum: rows.NewTally(&db.header.Key), attributes: attributes.NewChanges(tx)}
	b.Fold.Epoch, b.base = b.totals.Epoch, b.totals.Seq
	for i := range b.totals.Classes {
		b.totals.Own(i)
	}
	return b, tx.ConvertLog(db.memory.merged, b.totals.Seq)
}

func (b *bulk) steps(d *Delta) error {
	b.sums = b.sumEpoch(d)
	for i := range d.sums {
		if err := b.addSum(&d.sums[i]); err != nil {
			return err
		}
	}
	rules := rules{b, b.db, b.tx, b.totals, cmp.Or(d.Keep, b.db.header.Ledger), &b.applied, new(table.Row), nil}
	for i := range d.steps {
		err := b.ctx.Err()
		switch s := &d.steps[i]; {
		case err != nil:
		case s.kind.notes():
			err = b.note(s, d.overlap)
		default:
			err = rules.step(s)
		}
		if err != nil {
			return err
		}
	}
	return cmp.Or(b.overlaps.err(), rules.putNotes())
}

// addSum counts documents that are not named.
func (b *bulk) addSum(s *summed.Documents) error {
	ids := make([]uint32, len(s.Classes))
	for i := range s.Classes {
		c, err := b.totals.Class(b.tx, s.Classes[i].Name)
		if err != nil {
			return err
		}
		ids[i] = uint32(c.ID)
		b.applied.Learned += int(s.Classes[i].Docs)
	}
	return b.counted.addSum(s, ids, b.sums.own)
}

// Entry returns the ledger's entry of the document, or nil.
func (b *bulk) Entry(id count.DocID) (*stored.Entry, error) {
	if e, ok := b.entries[id]; ok {
		return e, nil
	}
	return b.tx.Entry(id)
}

// Row returns the row of term as it will be. The term is summed from now on.
func (b *bulk) Row(hash uint64, term []byte) ([]byte, error) {
	row, err := b.Lookup.Row(hash, term)
	if err != nil {
		return nil, err
	}
	if row, err = b.Fold.Apply(row, b.sum.Changes(b.sum.Find(hash, term)), nil); err == count.ErrNotLearned {
		return nil, nil // taken more often than it was learned
	}
	return row, err
}

// Train counts the document for class c and enters it in the ledger.
func (b *bulk) Train(c *count.Class, doc *encoded.Document, keep count.Ledger) error {
	if err := b.count(c, doc, 1); err != nil {
		return err
	}
	switch keep {
	case count.LedgerFull:
		return b.log(c, doc)
	case count.LedgerDigest:
		b.entries[doc.ID] = &stored.Entry{Keep: keep, Class: c.ID, Time: doc.Time, Source: bytes.Clone(doc.Source), Digest: doc.Digest(), Epoch: b.totals.Epoch}
	default:
		c.Untracked++
	}
	return nil
}

// log keeps the document in the log, where the ledger finds it.
func (b *bulk) log(c *count.Class, doc *encoded.Document) error {
	b.totals.Seq++
	rec := stored.Record{Seq: b.totals.Seq, Op: stored.OpTrain, Keep: count.LedgerFull, Class: c.ID, Doc: *doc}
	b.entries[doc.ID] = &stored.Entry{Keep: count.LedgerFull, Class: c.ID, Seq: rec.Seq}
	return b.tx.PutRecord(&rec)
}

// Untrain takes away the document of entry e.
func (b *bulk) Untrain(e *stored.Entry, doc *encoded.Document) error {
	c := b.totals.ByID(e.Class)
	b.trusted = b.trusted || e.Keep == count.LedgerNone
	if err := b.count(c, doc, -1); err == count.ErrNotLearned {
		if b.trusted {
			return notLearned(doc.ID) // this document was not learned, or one before it was not
		}
		return &CorruptError{What: "ledger entry of document " + doc.ID.String()}
	} else if err != nil {
		return err
	}
	switch e.Keep {
	case count.LedgerNone:
		c.Untracked--
		return nil
	case count.LedgerFull:
		b.gap = b.gap || e.Seq > b.base
		if err := b.tx.DeleteRecords(e.Seq); err != nil {
			return err
		}
	}
	b.entries[doc.ID] = nil
	return nil
}

// note enters a document in the ledger whose counts the sums include.
func (b *bulk) note(s *step, rule overlap) error {
	c, err := b.totals.Class(b.tx, s.class)
	if err != nil {
		return err
	}
	if c.Untracked == 0 {
		return fmt.Errorf("class %q: %w: more documents in the ledger than counted", s.class, count.ErrInvalid)
	}
	known, err := b.Entry(s.id)
	if err != nil {
		return err
	}
	if known != nil {
		if done, err := b.noteKnown(s, c, known, rule); done || err != nil {
			return err
		}
	}
	c.Untracked--
	if s.kind == stepDigest {
		e := *s.entry
		e.Class, e.Epoch = c.ID, b.sums.here(e.Epoch, b.totals.Epoch)
		b.entries[s.id] = &e
		return nil
	}
	return b.log(c, s.doc)
}
