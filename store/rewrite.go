package store

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
)

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

// choose asks drop about each term, and takes those that go out of the totals. Two terms with one
// hash go together or not at all, because the ledger is changed by hash.
func (p *rewriting) choose() error {
	for i := range p.Dir.Tables {
		going := make(map[uint64]bool)
		err := p.eachRow(i, func(hash uint64, term, _ []byte) error {
			goes := p.drop(term, p.cells)
			before, twice := going[hash]
			going[hash] = goes && (before || !twice)
			return p.ctx.Err()
		})
		if err == nil {
			err = p.eachRow(i, func(hash uint64, term, _ []byte) error {
				if going[hash] {
					p.dropped(hash, term)
				}
				return nil
			})
		}
		if err != nil {
			return err
		}
	}
	slices.Sort(p.hashes)
	return nil
}

// dropped counts a term that goes, whose cells are p.cells.
func (p *rewriting) dropped(hash uint64, term []byte) {
	p.hashes = append(p.hashes, hash)
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
	target := p.db.tuning().tableTarget(p.Dir.Bytes)
	var build table.Builder
	for i := range p.Dir.Tables {
		err := p.eachRow(i, func(hash uint64, term, row []byte) error {
			if !p.goes(hash) {
				build.Add(hash, term, row)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if build.Size() < target/2 && i+1 < len(p.Dir.Tables) {
			continue
		}
		bound := stored.SeqKey(p.Dir.Bounds[i])
		err = cmp.Or(p.to.Put(stored.BucketTable, bound, build.Finish(p.totals.Seq)), p.to.Put(stored.BucketTable, stored.PadKey(bound), nil))
		if err != nil {
			return err
		}
		build.Reset()
	}
	return nil
}

// eachRow calls f with each row of table i, decoded into p.cells.
func (p *rewriting) eachRow(i int, f func(hash uint64, term, row []byte) error) error {
	what := layout.TableName(p.Dir.Bounds[i])
	if !p.Dir.Tables[i].Sound() {
		return &CorruptError{What: what, Err: table.ErrCorrupt}
	}
	var failed error
	err := p.Dir.Tables[i].All(func(_ uint32, term, row []byte) bool {
		err := p.row.Decode(row, false)
		if err == nil {
			p.cells, err = appendCells(p.cells[:0], p.totals, p.row.Cells)
		}
		if err != nil {
			failed = layout.DamagedRow(term, err)
		} else {
			failed = f(p.db.header.Key.Hash(term), term, row)
		}
		return failed == nil
	})
	if err != nil {
		return &CorruptError{What: what, Err: err}
	}
	return failed
}

// copyLog writes the records, all of which belong to the ledger, with their dropped terms
// as a histogram of counts.
func (p *rewriting) copyLog() error {
	return p.tx.Bucket(stored.BucketLog).ForEach(func(k, v []byte) error {
		rec, err := stored.DecodeRecord(k, v, nil)
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
