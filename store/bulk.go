package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/fault"
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
	learner
	ctx     context.Context
	gap     bool // one of its own records is gone again
	trusted bool // documents known only by their text were taken away
	sums    sumEpoch

	overlaps []count.DocID    // documents that count twice and whose counts neither ledger keeps
	waiting  []*stored.Record // without a place in the log so far
	page     layout.LogPage   // of the log, which they will fill
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
		r.applied = Applied{}
		b.begin(r.delta, &r.applied)
		if err := b.steps(r.delta); err != nil {
			return err
		}
		db.growth.look = db.growth.look || r.applied.Moved+r.applied.Forgotten > 0 // else no page has lost anything
		if r.position == 0 {
			return nil
		}
		return b.tx.PutPosition(r.position)
	})
}

// rewrite merges the tail of the log, and the additions of f, into all tables. If ctx ends,
// nothing is changed.
func (db *DB) rewrite(ctx context.Context, f func(*bulk) error) (err error) {
	defer func() {
		if damage := new(fault.Error); db.file != nil && errors.As(err, &damage) {
			err = cmp.Or(db.file.InPlace(), err) // one that was copied over looks damaged
		}
	}()
	if err := db.rememberLocked(true); err != nil {
		return err
	}
	var m *memory
	err = db.update(func(tx layout.Tx) (*memory, error) {
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
	l, err := db.learner(tx, new(layout.Lookup))
	if err != nil {
		return nil, err
	}
	b := &bulk{learner: l, ctx: ctx, page: tx.NewLogPage()}
	b.way, b.row, b.totals, b.sum = b, new(table.Row), b.totals.Clone(), rows.NewTally(&db.header.Key)
	for i := range b.totals.Classes {
		b.totals.Own(i)
	}
	return b, tx.ConvertLog(db.memory.merged, b.totals.Seq, b.checkLeaves)
}

func (b *bulk) steps(d *Delta) error {
	b.sums = b.sumEpoch(d)
	for i := range d.sums {
		if err := b.addSum(&d.sums[i]); err != nil {
			return err
		}
	}
	for i := range d.steps {
		err := b.ctx.Err()
		s := &d.steps[i]
		if err == nil && b.waits(s.id) {
			err = b.place()
		}
		switch {
		case err != nil:
		case s.kind == stepNote:
			err = b.note(s, d.overlap)
		default:
			err = b.step(s)
		}
		if err != nil {
			return err
		}
	}
	if n := len(b.overlaps); n > 0 {
		return fmt.Errorf("%w, %d of which neither ledger keeps the counts, document %s among them", ErrOverlap, n, b.overlaps[0])
	}
	return b.tx.PutState(&b.db.header.Key, b.notes)
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

// put counts the document of a record, and keeps the record where the ledger has the counts.
func (b *bulk) put(rec *stored.Record, of *stored.Entry) error {
	c, doc, untrains, none := b.totals.ByID(rec.Class), &rec.Doc, rec.Op == stored.OpUntrain, rec.Keep == count.LedgerNone
	b.trusted = b.trusted || untrains && none
	err := b.count(c, doc, rec.Sign())
	switch {
	case err == count.ErrNotLearned && b.trusted:
		return notLearned(doc.ID) // this document was not learned, or one before it was not
	case err == count.ErrNotLearned:
		return &CorruptError{What: "ledger entry of document " + doc.ID.String()}
	case err != nil:
		return err
	case none:
		rows.AddTo(&c.Untracked, rec.Sign())
		return nil
	case rec.Keep == count.LedgerFull && !untrains:
		return b.log(c, doc)
	case rec.Keep == count.LedgerFull:
		b.gap = b.gap || of.Seq > b.base
		err = b.tx.DeleteRecords(of.Seq)
	}
	rec.Epoch = b.totals.Epoch
	b.recent.Of[doc.ID] = layout.RecentOf(rec)
	return err
}

// log keeps the document in the log, where the ledger finds it.
func (b *bulk) log(c *count.Class, doc *encoded.Document) error {
	rec := &stored.Record{Op: stored.OpTrain, Keep: count.LedgerFull, Class: c.ID, Doc: *doc}
	b.recent.Of[doc.ID] = layout.RecentOf(rec)
	if b.waiting = append(b.waiting, rec); len(b.waiting) < placedTogether {
		return nil
	}
	return b.place()
}

// placedTogether is the number of records that are put in order of how they fill pages. It is large
// enough that mail fills 95 % of the log, and not the 72 % of any order.
const placedTogether = 256

// waits returns whether the document's record has no place in the log so far.
func (b *bulk) waits(id count.DocID) bool {
	now, ok := b.recent.Of[id]
	return ok && !now.Gone && now.Entry.Keep == count.LedgerFull && now.Entry.Seq == 0
}

// place logs the waiting records: after each the largest that fits into its page.
func (b *bulk) place() error {
	slices.SortStableFunc(b.waiting, func(x, y *stored.Record) int { return cmp.Compare(len(y.Doc.Raw), len(x.Doc.Raw)) })
	for len(b.waiting) > 0 {
		i := b.page.Next(len(b.waiting), func(i int) int { return len(b.waiting[i].Doc.Raw) })
		rec := b.waiting[i]
		b.totals.Seq++
		rec.Seq = b.totals.Seq
		b.recent.Of[rec.Doc.ID] = layout.RecentOf(rec)
		if err := b.tx.PutRecord(rec); err != nil {
			return err
		}
		b.waiting = slices.Delete(b.waiting, i, i+1)
	}
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
	known, err := b.entry(s.id)
	if err != nil {
		return err
	}
	if known != nil {
		if done, err := b.noteKnown(s, c, known, rule); done || err != nil {
			return err
		}
	}
	c.Untracked--
	if s.entry != nil {
		e := *s.entry
		e.Class, e.Epoch = c.ID, b.sums.here(e.Epoch, b.totals.Epoch)
		b.recent.Of[s.id] = layout.Recent{Entry: e}
		return nil
	}
	return b.log(c, s.doc)
}
