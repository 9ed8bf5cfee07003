package store

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/layout"
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
	return db.changeClasses(ctx, func(b *bulk) error {
		c := b.totals.Named(name)
		if c == nil {
			return fmt.Errorf("class %q: %w", name, ErrNoClass)
		}
		seqs, err := b.eachEntry(c.ID, func(doc count.DocID, _ *stored.Entry) { b.recent.Of[doc] = layout.Recent{Gone: true} })
		if err != nil {
			return err
		}
		return cmp.Or(b.tx.DeleteRecords(seqs...), b.moveCounts(c.ID, nil))
	})
}

// changeClasses rewrites the tables with the changes of f, unless the database follows a log.
func (db *DB) changeClasses(ctx context.Context, f func(*bulk) error) error {
	return db.admin(func() error {
		return db.rewrite(ctx, func(b *bulk) error {
			if err := mustNotFollow(b.tx); err != nil {
				return err
			}
			return f(b)
		})
	})
}

// moveCounts adds the counts of a class in all rows to class into, nil for none, and removes the
// class.
func (b *bulk) moveCounts(from count.ClassID, into *uint32) error {
	var r table.Row
	err := b.Scan(math.MaxUint64, func(term, row []byte) error {
		if err := r.Decode(row, true); err != nil {
			return layout.DamagedRow(term, err)
		}
		at := slices.IndexFunc(r.Cells, func(c table.Cell) bool { return c.Class == uint32(from) })
		if at < 0 {
			return b.ctx.Err()
		}
		cells := r.Cells[at : at+1]
		b.sum.AddCells(term, cells, -1, func(id uint32) uint32 { return id })
		if into != nil {
			b.sum.AddCells(term, cells, 1, func(uint32) uint32 { return *into })
		}
		return b.ctx.Err()
	})
	at := b.totals.At(from)
	b.totals.Classes = slices.Delete(b.totals.Classes, at, at+1)
	b.totals.Order()
	return cmp.Or(err, b.attributes.MoveClass(uint32(from), into), b.tx.DeleteClass(from))
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
	return db.changeClasses(ctx, func(b *bulk) error { return b.mergeClass(from, into) })
}

func (b *bulk) mergeClass(from, into string) error {
	old, c := b.totals.Named(from), b.totals.Named(into)
	switch {
	case old == nil:
		return fmt.Errorf("class %q: %w", from, ErrNoClass)
	case c == nil:
		return fmt.Errorf("class %q: %w", into, ErrNoClass)
	case old == c:
		return fmt.Errorf("class %q and itself: %w", from, count.ErrInvalid)
	}
	if err := joinClass(c, old, old.Untracked); err != nil {
		return err
	}
	seqs, err := b.eachEntry(old.ID, func(id count.DocID, e *stored.Entry) {
		e.Class, e.Source = c.ID, slices.Clone(e.Source)
		b.recent.Of[id] = layout.Recent{Entry: *e}
	})
	if err != nil {
		return err
	}
	slices.Sort(seqs) // each page of the log is touched once
	for _, seq := range seqs {
		rec, err := b.tx.Record(seq)
		if err != nil {
			return err
		}
		// Fresh, Weight and Moves are used only while a record is in the tail.
		rec.Class, rec.Fresh, rec.Weight, rec.Moves = c.ID, 0, 0, nil
		if err := b.tx.PutRecord(&rec); err != nil {
			return err
		}
	}
	return b.moveCounts(old.ID, new(uint32(c.ID)))
}
