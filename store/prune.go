package store

import (
	"context"
	"fmt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/layout"
)

// Pruned says what a prune has dropped.
type Pruned struct {
	Terms  uint64 // distinct terms
	Tokens uint64 // their occurrences, over all classes

	// Before and After are the sizes of the file in bytes. What Before has of
	// free space has gone from After, as after Compact.
	Before, After int64
}

// Prune drops the terms for which drop says yes, which cannot be undone: their rows, and
// their mention in the ledger. Of each term it is given all cells, without U,
// whose Class is the index into the classes in order of name; it is called for
// every term once, in no particular order, and must not use the database.
//
// Documents, lengths, Tokens and Weight of each class stay what all documents
// learned have given; what the rows have lost is counted in Class.Dropped. The
// vocabulary, Class.Terms and Class.Frequencies are those of the rows left. A
// term that is learned again is counted anew. Attributes stay as they are.
//
// A document whose counts the ledger keeps is forgotten or moved as exactly as
// ever: its record says what of it was dropped. One of which it keeps a digest
// also, from its whole text: a row knows whether it was made since. Moved, it is
// learned whole. Merged into another database after a prune, it is ErrNoCounts.
//
// Where the ledger keeps nothing, a term is taken from its row if that holds it,
// and from what was dropped otherwise, as long as the counts allow it; one that
// was dropped and learned again may then be taken from the wrong one of the two.
// In a class of which the ledger knows other documents, which that would harm,
// such a document is ErrNoCounts. Totals stay exact, and no count falls below
// zero, in any case.
//
// The file is written anew without free space, as by Compact, and takes the
// place of the old one in one step: a reader sees it before or after, and if
// Prune fails or the process is killed, the database is as it was. A file
// named like the database with .compact- at its end may then be left over, which the
// next copy of the file removes. Trainers wait. Readers that have begun keep the old file, which goes
// when they end; on Windows they are waited for. Where no term is dropped nothing is
// written.
func (db *DB) Prune(ctx context.Context, drop func(term []byte, cells []count.Cell) bool) (Pruned, error) {
	return db.copyOver(ctx, drop, true)
}

// TryPrune returns what Prune would, and changes nothing. It too writes the new
// file, to know its size, and removes it.
func (db *DB) TryPrune(ctx context.Context, drop func(term []byte, cells []count.Cell) bool) (Pruned, error) {
	return db.copyOver(ctx, drop, false)
}

// copyOver copies the file without free space and, unless drop is nil, without the terms
// for which that says yes. The copy takes the file's place if replace is set and there is
// something to be gained.
func (db *DB) copyOver(ctx context.Context, drop func(term []byte, cells []count.Cell) bool, replace bool) (out Pruned, err error) {
	err = db.admin(func() error {
		if err := db.ready(); err != nil {
			return err // later it would be in the way of the copy
		}
		if out.Before, err = db.file.Size(); err != nil {
			return err
		}
		c, err := db.file.NewCopy()
		if err != nil {
			return err
		}
		defer c.Discard()
		p := pruning{ctx: ctx, db: db, drop: drop}
		if err := db.fillPruned(&p, c); err != nil {
			return err
		}
		if out.Terms, out.Tokens = p.out.Terms, p.out.Tokens; drop != nil && out.Terms == 0 {
			out.After = out.Before
			return nil
		}
		if out.After, err = c.Size(); err != nil || !replace || drop == nil && out.After >= out.Before {
			return err
		}
		return db.replace(c)
	})
	if err != nil {
		return Pruned{}, err
	}
	return out, nil
}

// fillPruned fills the new file from a transaction in which the log is folded
// into the tables, and which is then given up.
func (db *DB) fillPruned(p *pruning, to *file.Copy) error {
	if err := db.rememberLocked(true); err != nil {
		return err
	}
	err := db.try(func(tx layout.Tx) (*memory, error) {
		b, err := db.newBulk(p.ctx, tx)
		if err != nil {
			return nil, err
		}
		if _, err := b.finish(nil); err != nil {
			return nil, err
		}
		p.from, p.totals = tx, b.totals
		if err := p.fill(to); err != nil {
			return nil, err
		}
		return nil, errNothing
	}, false)
	if err == errNothing {
		return nil
	}
	return err
}

// pruned says whether some count is of terms that were dropped.
func (t *totals) pruned() bool {
	for _, c := range t.classes {
		if c.Dropped > 0 || c.DroppedWeight > 0 {
			return true
		}
	}
	return t.epoch > 0
}

// These are why a document cannot be taken away of which nobody knows which
// terms were dropped.
var (
	errLost   = fmt.Errorf("terms were dropped since it was learned, in the database that it came from: %w", ErrNoCounts)
	errUnsure = fmt.Errorf("terms were dropped, perhaps since it was learned: %w", ErrNoCounts)
)
