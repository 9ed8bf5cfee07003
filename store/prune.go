package store

import (
	"context"
	"fmt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rewrite"
)

// Pruned is what a prune has dropped.
type Pruned struct {
	Terms  uint64 // distinct terms
	Tokens uint64 // their occurrences, over all classes

	// Before and After are the sizes of the file in bytes. What Before has of
	// free space has gone from After, as after Compact.
	Before, After int64
}

// Prune drops the rows of the terms for which drop returns true, and their mention in the
// ledger. This cannot be undone. drop gets all cells of a term, without U; Class is the
// index into the classes in order of name. It is called once for every term, in no
// particular order, and must not use the database.
//
// Documents, lengths, Tokens and Weight of each class do not change; Class.Dropped counts
// what the rows have lost. The vocabulary, Class.Terms and Class.Frequencies count the rows
// that are left. A term that is learned again is counted anew. Attributes do not change.
//
// A document can still be forgotten or moved exactly if the ledger keeps its counts, or a
// digest and its whole text is given. Merged into another database after a prune, a document
// with a digest is ErrNoCounts. A document that the ledger does not know takes a term from
// its row if that has it, and else from what was dropped; for a term that was dropped and
// learned again that may be the wrong one of the two. Where this would harm other documents
// of the class that the ledger knows, it is ErrNoCounts. Totals stay exact, and no count
// falls below zero.
//
// The file is written anew without free space, as by Compact, and takes the place of the
// old one in one step. If Prune fails, ctx ends or the process is killed, the database is as
// it was; a file named like it with .compact- at its end may be left, which the next copy
// removes. Trainers wait. Readers that have begun keep the old file; on Windows they are
// waited for. If no term is dropped nothing is written.
func (db *DB) Prune(ctx context.Context, drop func(term []byte, cells []count.Cell) bool) (Pruned, error) {
	return db.copyOver(ctx, drop, true)
}

// TryPrune returns what Prune would, and changes nothing. It too writes the new
// file, to know its size, and removes it.
func (db *DB) TryPrune(ctx context.Context, drop func(term []byte, cells []count.Cell) bool) (Pruned, error) {
	return db.copyOver(ctx, drop, false)
}

// copyOver copies the file without free space and, unless drop is nil, without the terms
// for which that returns true. The copy takes the file's place if replace is set and there is
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
		p := rewrite.Rewriting{Key: &db.header.Key, Target: db.tuning().tableTarget, Drop: drop}
		if err := db.fillPruned(ctx, &p, c); err != nil {
			return err
		}
		if out.Terms, out.Tokens = p.Terms, p.Tokens; drop != nil && out.Terms == 0 {
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
func (db *DB) fillPruned(ctx context.Context, p *rewrite.Rewriting, to *file.Copy) error {
	if err := db.rememberLocked(true); err != nil {
		return err
	}
	err := db.try(func(tx layout.Tx) (*memory, error) {
		b, err := db.newBulk(ctx, tx)
		if err != nil {
			return nil, err
		}
		if _, err := b.finish(nil); err != nil {
			return nil, err
		}
		p.From, p.Totals = tx, b.totals
		if err := p.Fill(ctx, to); err != nil {
			return nil, err
		}
		return nil, errNothing
	}, false)
	if err == errNothing {
		return nil
	}
	return err
}

// These are why a document cannot be taken away of which nobody knows which
// terms were dropped.
var (
	errLost   = fmt.Errorf("terms were dropped since it was learned, in the database that it came from: %w", ErrNoCounts)
	errUnsure = fmt.Errorf("terms were dropped, perhaps since it was learned: %w", ErrNoCounts)
)
