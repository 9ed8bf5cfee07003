package store

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/totals"
)

// finish writes tables, totals and ledger, and returns the memory of the new state. Documents
// among its recent ones are still to be entered in the ledger.
func (b *bulk) finish() (*memory, error) {
	if err := b.place(0); err != nil {
		return nil, err
	}
	if err := b.rewriteTables(); err != nil {
		return nil, err
	}
	file.Forget(b.tx.Tx) // the old tables
	if b.trusted {
		if err := b.within(); err != nil {
			return nil, err
		}
	}
	b.totals.TailBytes = 0
	m := &memory{merged: b.totals.Seq, versions: []*totals.Totals{b.totals}, overlay: rows.NewOverlay(), recent: b.recent}
	parts := b.db.ledgerParts(b.totals) > 1 && !b.gap // a tail has no gaps
	if parts {
		m.merged = b.base
	}
	entries := make(map[count.DocID]*stored.Entry)
	for id, r := range b.recent.Of {
		if parts && r.Seq > b.base {
			continue
		}
		if entries[id] = &r.Entry; r.Gone {
			entries[id] = nil
		}
		delete(b.recent.Of, id)
	}
	err := cmp.Or(
		b.tx.PutEntries(layout.InOrder(entries), entries),
		b.totals.PutNames(b.tx, b.channel),
		b.attributes.Write(),
		b.totals.Put(b.tx, m.merged),
		b.tx.PutRound(nil),
		b.tx.SetLastSeq(b.totals.Seq),
	)
	return m, err
}

// ledgerParts is the number of transactions that enter documents in the ledger.
func (db *DB) ledgerParts(t *totals.Totals) int {
	return 1 + int(t.Documents()/uint64(db.tuning().ledgerPart))
}

// enterLedger enters the documents of the tail, which all tables hold, in the ledger: each
// transaction those in a part of its pages. Until the last, the tail has them all.
func (db *DB) enterLedger(m *memory) error {
	entries := make(map[count.DocID]*stored.Entry, len(m.recent.Of))
	for id, r := range m.recent.Of {
		entries[id] = &r.Entry
	}
	ids, parts := layout.InOrder(entries), db.ledgerParts(m.newest())
	done := 0
	for part := range slices.Chunk(ids, (len(ids)+parts-1)/parts) {
		done += len(part)
		err := db.update(func(tx layout.Tx) (*memory, error) {
			defer file.Forget(tx.Tx)
			if err := tx.PutEntries(part, entries); err != nil || done < len(ids) {
				return nil, err
			}
			t := m.newest()
			return &memory{merged: t.Seq, versions: m.versions, overlay: m.overlay, recent: layout.NewRecents()}, t.Put(tx, t.Seq)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// rewriteTables brings every table up to date, table by table in order of hash.
func (b *bulk) rewriteTables() error {
	order := b.sum.ByHash()
	target := b.db.tuning().tableTarget(max(b.Dir.Bytes, 16*len(order)))
	for i := range b.Dir.Bounds {
		end := 0
		for end < len(order) && b.sum.Hash(int(order[end])) <= b.Dir.Bounds[i] {
			end++
		}
		if err := b.ctx.Err(); err != nil {
			return err
		}
		rows, err := b.rows(i, order[:end])
		order = order[end:]
		if err != nil {
			return err
		}
		if err := b.tx.RewriteTable(&b.db.header.Key, &b.Dir, i, rows, b.totals.Seq, target); err != nil {
			return err
		}
	}
	return nil
}

// rows returns the new rows of table i: the overlay's and those of the sums' terms, which
// come in order of hash.
func (b *bulk) rows(i int, terms []int32) ([]rows.Row, error) {
	list := make([]rows.Row, 0, len(terms))
	summed, overlaid := make(map[string]bool), b.Overlay.Terms > 0
	const touched = 32 // at a time
	for k, t := range terms {
		if k%touched == 0 {
			b.sum.Touch(terms[k:min(k+touched, len(terms))])
		}
		term, hash := b.sum.Term(int(t)), b.sum.Hash(int(t))
		row, err := b.Lookup.Row(hash, term)
		if err != nil {
			return nil, err
		}
		if overlaid {
			summed[string(term)] = true
		}
		if b.epochs != nil {
			b.Fold.Epoch = b.epochs[int(t)]
		}
		had, moved, channel := row != nil, b.moved, count.OfChannel(term)
		if channel {
			b.channel, moved = true, nil
		}
		if row, err = b.Fold.Apply(row, b.sum.Changes(int(t)), moved); err != nil {
			return nil, b.rowError(term, err)
		}
		switch {
		case channel:
		case row != nil && !had:
			b.totals.Vocabulary++
		case row == nil && had:
			b.totals.Vocabulary--
		}
		list = append(list, rows.Row{Hash: hash, Term: term, Data: row})
	}
	others, _, err := b.Dir.Changed(i, b.Overlay, math.MaxUint64, &b.Fold)
	if err != nil {
		return nil, err
	}
	for _, r := range others {
		if !summed[string(r.Term)] {
			list = append(list, r)
		}
	}
	return list, nil
}

// rowError says which row has less than is taken from it. If only documents of the ledger
// are taken away, the row is damaged.
func (b *bulk) rowError(term []byte, err error) error {
	if err == count.ErrNotLearned && !b.trusted {
		return layout.DamagedRow(term, err)
	}
	return fmt.Errorf("term %.40q: %w", term, err)
}

func (b *bulk) moved(class uint32, before, after uint64) {
	if c := b.totals.ByID(count.ClassID(class)); c != nil && before != after { // nil if it is being removed
		// A count below zero here means totals that disagree with the rows.
		// check finds that; it must not keep a training from its rows.
		rows.MoveTerms(c, before, after, 1)
	}
}
