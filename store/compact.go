package store

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
)

// Compact brings all tables up to date, joins those that have become small and rewrites
// the file without free space, and so without what is left there of forgotten documents.
// Trainers wait. Readers that have begun keep the old file; on Windows Compact waits for
// them. If it fails or ctx ends, the database is as it was.
func (db *DB) Compact(ctx context.Context) error {
	_, err := db.copyOver(ctx, nil, true)
	return err
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
// digest and its whole text is given. Merged into another database after a prune, a
// document with a digest is ErrNoCounts. The counts of a document that the ledger does not
// know are taken from a term's row if it has them, and else from the dropped counts; for a
// term that was dropped and learned again that may be the wrong one of the two. Where this
// would harm other documents of the class that the ledger knows, the error is ErrNoCounts.
// Totals stay exact, and no count falls below zero.
//
// The file is rewritten without free space, as by Compact, and replaces the old one in one
// step. If Prune fails, ctx ends or the process is killed, the database is as it was; a
// file named like it with .compact- at its end may be left, which the next copy removes.
// Trainers wait. Readers that have begun keep the old file; on Windows Prune waits for
// them. If no term is dropped nothing is written. To try is to write the new file, which
// says how large it is, and to remove it: nothing changes.
func (db *DB) Prune(ctx context.Context, try bool, drop func(term []byte, cells []count.Cell) bool) (Pruned, error) {
	return db.copyOver(ctx, drop, !try)
}

// copyOver copies the file without free space and, unless drop is nil, without the terms
// for which drop returns true. The copy replaces the file if replace is set.
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
		if err := db.fillPruned(ctx, drop, c, &out); err != nil {
			return err
		}
		if drop != nil && out.Terms == 0 {
			out.After = out.Before
			return nil
		}
		if out.After, err = c.Size(); err != nil || !replace {
			return err
		}
		return db.replace(c)
	})
	if err != nil {
		return Pruned{}, err
	}
	return out, nil
}

// fillPruned fills the new file from a transaction in which the log is folded into the
// tables, and which is then rolled back.
func (db *DB) fillPruned(ctx context.Context, drop func(term []byte, cells []count.Cell) bool, to *file.Copy, out *Pruned) error {
	if err := db.rememberLocked(true); err != nil {
		return err
	}
	return db.try(func(tx layout.Tx) (*memory, error) {
		if drop != nil {
			if err := mustNotFollow(tx); err != nil {
				return nil, err
			}
		}
		b, err := db.newBulk(ctx, tx)
		if err != nil {
			return nil, err
		}
		if _, err := b.finish(); err != nil {
			return nil, err
		}
		p := rewriting{bulk: b, drop: drop, to: to, out: out}
		if err := p.Dir.Load(tx); err != nil {
			return nil, err
		}
		if drop != nil {
			if err := p.choose(); err != nil || len(p.hashes) == 0 {
				return nil, cmp.Or(err, errNothing)
			}
		}
		return nil, cmp.Or(to.Fill(ctx, p.run), errNothing)
	}, false)
}

// Pruned counts what a prune has dropped.
type Pruned struct {
	Terms  uint64 // distinct terms
	Tokens uint64 // their occurrences, over all classes

	// Before and After are the sizes of the file in bytes. After has no free space, as after
	// Compact.
	Before, After int64
}

// rewriting copies the file of a finished bulk, without the dropped terms. The totals of the bulk
// become those of the copy.
type rewriting struct {
	*bulk
	drop func(term []byte, cells []count.Cell) bool // see Prune; nil: all terms are copied
	to   *file.Copy
	out  *Pruned

	hashes []uint64 // of the terms that go, in ascending order
	row    table.Row
	cells  []count.Cell
}

func (p *rewriting) run() error {
	err := p.to.All(p.tx.Tx, map[string]func() error{
		string(stored.BucketTable): p.copyTables, string(stored.BucketLog): p.copyLog, string(stored.BucketFold): nil,
	})
	if err != nil || p.drop == nil {
		return err
	}
	if p.totals.Epoch++; p.totals.Epoch >= stored.LostEpoch {
		return fmt.Errorf("%w: terms have been dropped %d times", count.ErrInvalid, p.totals.Epoch)
	}
	tx := layout.Tx{Tx: p.to.Tx}
	return cmp.Or(p.totals.Put(tx, p.totals.Seq), tx.SetFlag(stored.FlagPruned))
}

// choose asks drop about each term. Two terms with one hash go together, because the ledger is
// changed by hash.
func (p *rewriting) choose() error {
	err := p.eachRow(func(hash uint64, term, _ []byte) error {
		if p.drop(term, p.cells) {
			p.hashes = append(p.hashes, hash)
		}
		return p.ctx.Err()
	})
	slices.Sort(p.hashes)
	return err
}

// dropped takes a term that goes, whose cells are p.cells, out of the totals.
func (p *rewriting) dropped(term []byte) {
	p.out.Terms++
	if count.OfChannel(term) {
		return // no total counts it
	}
	p.totals.Vocabulary--
	for _, c := range p.cells {
		class := p.totals.Classes[c.Class]
		rows.MoveTerms(class, c.DF, 0, 1)
		class.Dropped += c.TF
		class.DroppedWeight += c.W
		p.out.Tokens += c.TF
	}
}

func (p *rewriting) goes(hash uint64) bool {
	_, found := slices.BinarySearch(p.hashes, hash)
	return found
}

// copyTables writes the rows that stay, and joins small tables with those that follow.
func (p *rewriting) copyTables() error {
	target, at := p.db.tuning().tableTarget(p.Dir.Bytes), 0
	var build table.Builder
	finish := func() error {
		bound := stored.SeqKey(p.Dir.Bounds[at])
		data := build.Finish(p.totals.Seq)
		build.Reset()
		return cmp.Or(p.to.Put(stored.BucketTable, bound, data), p.to.Put(stored.BucketTable, stored.PadKey(bound), nil))
	}
	err := p.eachRow(func(hash uint64, term, row []byte) error {
		for ; at < p.Dir.At(hash); at++ {
			if build.Size() < target/2 {
				continue
			}
			if err := finish(); err != nil {
				return err
			}
		}
		if p.goes(hash) {
			p.dropped(term)
		} else {
			build.Add(hash, term, row)
		}
		return nil
	})
	if err != nil {
		return err
	}
	at = len(p.Dir.Bounds) - 1
	return finish()
}

// eachRow calls f with each row, decoded into p.cells.
func (p *rewriting) eachRow(f func(hash uint64, term, row []byte) error) error {
	return p.Scan(math.MaxUint64, func(term, row []byte) error {
		err := p.row.Decode(row, false)
		if err == nil {
			p.cells, err = appendCells(p.cells[:0], p.totals, p.row.Cells)
		}
		if err != nil {
			return layout.DamagedRow(term, err)
		}
		return f(p.db.header.Key.Hash(term), term, row)
	})
}

// copyLog writes the records, all of which belong to the ledger, with their dropped terms
// as a histogram of counts.
func (p *rewriting) copyLog() error {
	return p.tx.Bucket(stored.BucketLog).ForEach(func(k, v []byte) error {
		rec, err := stored.DecodeRecord(k, v)
		if err != nil {
			return err
		}
		short, err := rec.Without(func(term []byte) bool {
			return p.goes(p.db.header.Key.Hash(term))
		})
		if err != nil {
			return err
		}
		if short != nil {
			v = short
		}
		return p.to.Put(stored.BucketLog, k, v)
	})
}
