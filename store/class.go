package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/fault"
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

// admin runs f, which writes, alone.
func (db *DB) admin(f func() error) (err error) {
	if db.options.ReadOnly {
		return db.fail(ErrReadOnly)
	}
	defer db.rest()
	db.commit.Lock()
	defer db.commit.Unlock()
	defer func() {
		if err != nil {
			db.forgetMemory()
			err = db.fail(err)
		}
	}()
	defer fault.Guard(&err, "")()
	open, err := db.opened()
	if err != nil {
		return err
	}
	if err := open.InPlace(); err != nil {
		return err
	}
	return f()
}
