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
	"github.com/polya-classifier/polya/store/internal/table"
)

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

// run writes the copy.
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
	tx := layout.Tx{Tx: p.to.Tx()}
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

// goes reports whether a term goes.
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
