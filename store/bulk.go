package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

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
	waiting  []*stored.Record // without a place in the log so far, the largest first
}

func (db *DB) writeMany(r *request) error {
	db.growth.bulk, db.growth.freed = true, true
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
	b := &bulk{learner: l, ctx: ctx}
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
			err = b.place(0)
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
	rec.Pack()
	b.recent.Of[doc.ID] = layout.RecentOf(rec)
	b.waiting = slices.Insert(b.waiting, b.atMost(rec.Size()), rec)
	return b.place(mostWaiting)
}

// mostWaiting is the number of records among which those that fill a page are chosen: enough that mail
// fills nearly all of the log, and not the 72 % of any order.
const mostWaiting = 1024

// atMost returns the index of the first waiting record whose packed document has at most so many bytes.
func (b *bulk) atMost(size int) int {
	return sort.Search(len(b.waiting), func(i int) bool { return b.waiting[i].Size() <= size })
}

// waits returns whether the document's record has no place in the log so far.
func (b *bulk) waits(id count.DocID) bool {
	now, ok := b.recent.Of[id]
	return ok && !now.Gone && now.Entry.Keep == count.LedgerFull && now.Entry.Seq == 0
}

// place logs waiting records until fewer than so many are left: a leaf of the log at a time, the largest
// first, and then always the largest that fits. bbolt puts at least two records in a leaf, which may take
// several pages, and more only as long as all fit in one page.
func (b *bulk) place(left int) error {
	page := b.tx.DB().Info().PageSize
	for len(b.waiting) >= max(left, 1) {
		used := layout.PageHead
		for n := 0; len(b.waiting) > 0; n++ {
			room, at := page-layout.RecordHead-used, 0
			switch {
			case n == 1:
				room += used / page * page
				if at = b.atMost(room); at == len(b.waiting) {
					at = b.atMost(room+page) % at
				}
			case n > 1:
				at = b.atMost(room)
			}
			if at == len(b.waiting) {
				break
			}
			used += layout.RecordHead + b.waiting[at].Size()
			if err := b.placeAt(at); err != nil {
				return err
			}
		}
	}
	return nil
}

// placeAt logs a waiting record.
func (b *bulk) placeAt(at int) error {
	rec := b.waiting[at]
	b.waiting = slices.Delete(b.waiting, at, at+1)
	b.totals.Seq++
	rec.Seq = b.totals.Seq
	b.recent.Of[rec.Doc.ID] = layout.RecentOf(rec)
	return cmp.Or(b.tx.SetFlag(stored.FlagPacked), b.tx.PutRecord(rec))
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
