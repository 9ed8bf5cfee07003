package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/totals"
)

// RenameClass gives a class another name. It touches no count. The error wraps
// ErrNoClass or ErrClassExists.
func (db *DB) RenameClass(from, to string) error {
	if err := cmp.Or(count.CheckClass(to), db.header.CheckClass(to)); err != nil {
		return db.fail(err)
	}
	return db.admin(func() error {
		if err := db.rememberLocked(true); err != nil {
			return err
		}
		return db.update(func(tx layout.Tx) (*memory, error) {
			if err := mustNotFollow(tx); err != nil {
				return nil, err
			}
			t := db.memory.newest().Clone()
			c := t.Named(from)
			if c == nil {
				return nil, fmt.Errorf("class %q: %w", from, ErrNoClass)
			}
			if from == to {
				return nil, errNothing
			}
			if t.Named(to) != nil {
				return nil, fmt.Errorf("class %q: %w", to, ErrClassExists)
			}
			t.Own(t.At(c.ID)).Name = to
			t.Order()
			m := &memory{merged: db.memory.merged, versions: []*totals.Totals{t}, overlay: db.memory.overlay, recent: db.memory.recent, stale: db.memory.stale}
			return m, tx.PutClassName(c.ID, to)
		})
	})
}

// DeleteClass takes away a class with all its documents: from the tables, the
// totals and the ledger. The file gets smaller at the next Compact. The error
// wraps ErrNoClass. When ctx ends first, nothing has changed.
func (db *DB) DeleteClass(ctx context.Context, name string) error {
	return db.admin(func() error {
		var id count.ClassID
		return db.rewrite(ctx, func(b *bulk) error {
			if err := mustNotFollow(b.tx); err != nil {
				return err
			}
			c := b.totals.Named(name)
			if c == nil {
				return fmt.Errorf("class %q: %w", name, ErrNoClass)
			}
			id = c.ID
			seqs, err := b.eachEntry(id, func(doc count.DocID, _ *stored.Entry) { b.entries[doc] = nil })
			if err != nil {
				return err
			}
			return cmp.Or(b.tx.DeleteRecords(seqs...), b.attributes.MoveClass(uint32(id), nil), b.removeClass(id))
		}, func(_ []byte, cells []table.Cell) ([]table.Cell, error) {
			return slices.DeleteFunc(cells, func(c table.Cell) bool { return count.ClassID(c.Class) == id }), nil
		})
	})
}

func (b *bulk) removeClass(id count.ClassID) error {
	at := b.totals.At(id)
	b.totals.Classes = slices.Delete(b.totals.Classes, at, at+1)
	b.totals.Order()
	return b.tx.DeleteClass(id)
}

// eachEntry calls f with each ledger entry of a class, and returns the positions of their
// records. The entry's source is valid only until the ledger changes.
func (b *bulk) eachEntry(id count.ClassID, f func(count.DocID, *stored.Entry)) (seqs []uint64, err error) {
	err = b.tx.EachEntry(func(doc count.DocID, e *stored.Entry) error {
		if e.Class == id {
			f(doc, e)
			if e.Keep == count.LedgerFull {
				seqs = append(seqs, e.Seq)
			}
		}
		return nil
	})
	return seqs, err
}

// MergeClass moves all documents of class from to class into, in one transaction,
// and from is gone. The database then holds exactly what it would hold if they had
// all been learned as into: counts, attributes, ledger and dump. It needs no text
// and works in every ledger mode; ids, times and sources stay. The error wraps
// ErrNoClass if there is no such class, and count.ErrInvalid if both are the same or would
// together pass the limits of a class. Nothing has changed then, nor when
// ctx ends first.
func (db *DB) MergeClass(ctx context.Context, from, into string) error {
	return db.admin(func() error {
		var m classMerge
		return db.rewrite(ctx, func(b *bulk) error {
			m.b = b
			if err := mustNotFollow(b.tx); err != nil {
				return err
			}
			return m.begin(from, into)
		}, func(term []byte, cells []table.Cell) ([]table.Cell, error) { return m.cells(term, cells) })
	})
}

type classMerge struct {
	b          *bulk
	from, into *count.Class
}

// begin merges everything except the rows of terms.
func (m *classMerge) begin(from, into string) error {
	t := m.b.totals
	m.from, m.into = t.Named(from), t.Named(into)
	switch {
	case m.from == nil:
		return fmt.Errorf("class %q: %w", from, ErrNoClass)
	case m.into == nil:
		return fmt.Errorf("class %q: %w", into, ErrNoClass)
	case m.from == m.into:
		return fmt.Errorf("class %q and itself: %w", from, count.ErrInvalid)
	}
	if err := joinClass(m.into, m.from, m.from.Tokens, m.from.Weight, m.from.Untracked); err != nil {
		return err
	}
	return cmp.Or(
		m.entries(),
		m.b.attributes.MoveClass(uint32(m.from.ID), new(uint32(m.into.ID))),
		m.b.removeClass(m.from.ID),
	)
}

// entries sets the new class in the ledger entries of the documents.
func (m *classMerge) entries() error {
	seqs, err := m.b.eachEntry(m.from.ID, func(id count.DocID, e *stored.Entry) {
		e.Class, e.Source = m.into.ID, slices.Clone(e.Source)
		m.b.entries[id] = e
	})
	if err != nil {
		return err
	}
	slices.Sort(seqs) // each page of the log is touched once
	for _, seq := range seqs {
		rec, err := m.b.tx.Record(seq)
		if err != nil {
			return err
		}
		// Fresh, Weight and Moves are used only while a record is in the tail.
		moved := stored.Record{Seq: seq, Op: rec.Op, Keep: rec.Keep, Class: m.into.ID, Doc: rec.Doc}
		if err := m.b.tx.PutRecord(&moved); err != nil {
			return err
		}
	}
	return nil
}

// cells adds the cell of class from in a row to the cell of class into.
func (m *classMerge) cells(term []byte, cells []table.Cell) ([]table.Cell, error) {
	at := slices.IndexFunc(cells, func(c table.Cell) bool { return c.Class == uint32(m.from.ID) })
	if at < 0 {
		return cells, nil
	}
	moved := cells[at]
	cells = slices.Delete(cells, at, at+1)
	to := uint32(m.into.ID)
	at, found := slices.BinarySearchFunc(cells, to, func(c table.Cell, id uint32) int { return int(int64(c.Class) - int64(id)) })
	if !found {
		cells = slices.Insert(cells, at, table.Cell{Class: to})
	}
	c := &cells[at]
	before := c.DF
	c.DF, c.TF, c.W = c.DF+moved.DF, c.TF+moved.TF, c.W+moved.W
	u := make([]uint32, max(len(c.U), len(moved.U)))
	copy(u, c.U)
	for j, n := range moved.U {
		u[j] += n
	}
	c.U = u
	if c.DF > m.into.Docs {
		return nil, &CorruptError{What: fmt.Sprintf("class %.40q", m.into.Name), Err: fmt.Errorf("a term is in %d of %d documents", c.DF, m.into.Docs)}
	}
	if !count.OfChannel(term) {
		rows.MoveTerms(m.into, before, c.DF, 1)
	}
	return cells, nil
}
