package store

import (
	"bytes"
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
	to   *file.Filling
	out  *Pruned

	hashes []uint64 // of the terms that go, in ascending order
	row    table.Row
	cells  []count.Cell
}

// run writes the copy. If drop is given and drops no term, the copy is not complete.
func (p *rewriting) run() error {
	h, err := p.tx.Header()
	if err != nil {
		return err
	}
	for _, name := range h.Buckets() {
		if err := p.to.Create(name, p.tx.Bucket(name).Sequence()); err != nil {
			return err
		}
	}
	if err := p.copyTables(); err != nil || p.out.Terms == 0 && p.drop != nil {
		return err
	}
	for _, name := range h.Buckets() {
		if bytes.Equal(name, stored.BucketTotal) || bytes.Equal(name, stored.BucketLog) || bytes.Equal(name, stored.BucketTable) {
			continue // made anew
		}
		if err := p.to.Bucket(name, p.tx.Bucket(name)); err != nil {
			return err
		}
	}
	if err := p.copyLog(); err != nil {
		return err
	}
	tx := layout.Tx{Tx: p.to.Tx()}
	if p.drop == nil {
		return p.totals.Put(tx, p.totals.Seq)
	}
	if p.totals.Epoch++; p.totals.Epoch >= stored.LostEpoch {
		return fmt.Errorf("%w: terms have been dropped %d times", count.ErrInvalid, p.totals.Epoch)
	}
	return cmp.Or(p.totals.Put(tx, p.totals.Seq), tx.SetFlag(stored.FlagPruned))
}

// copyTables writes the rows that stay, and joins small tables with those that follow.
func (p *rewriting) copyTables() error {
	if err := p.Dir.Load(p.tx); err != nil {
		return err
	}
	target := p.db.tuning().tableTarget(p.Dir.Bytes)
	var build table.Builder
	for i, t := range p.Dir.Tables {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		what := layout.TableName(p.Dir.Bounds[i])
		if !t.Sound() {
			return &CorruptError{What: what, Err: table.ErrCorrupt}
		}
		if err := p.copyRows(t, what, &build); err != nil {
			return err
		}
		if build.Size() < target/2 && i+1 < len(p.Dir.Tables) {
			continue
		}
		bound := stored.SeqKey(p.Dir.Bounds[i])
		err := cmp.Or(p.to.Put(stored.BucketTable, bound, build.Finish(p.totals.Seq)), p.to.Put(stored.BucketTable, stored.PadKey(bound), nil))
		if err != nil {
			return err
		}
		build.Reset()
	}
	return nil
}

// copyRows adds the rows of t that stay to build, and counts the others as dropped.
func (p *rewriting) copyRows(t table.Table, what string, build *table.Builder) error {
	var going map[uint64]bool
	if p.drop != nil {
		var err error
		if going, err = p.going(t, what); err != nil {
			return err
		}
	}
	first := len(p.hashes)
	err := p.eachRow(t, what, func(hash uint64, term, row []byte) error {
		if !going[hash] {
			build.Add(hash, term, row)
			return nil
		}
		p.hashes = append(p.hashes, hash)
		p.out.Terms++
		if count.OfChannel(term) {
			return nil // no total counts it
		}
		p.totals.Vocabulary--
		for _, c := range p.cells {
			class := p.totals.Classes[c.Class]
			rows.MoveTerms(class, c.DF, 0, 1)
			class.Dropped += c.TF
			class.DroppedWeight += c.W
			p.out.Tokens += c.TF
		}
		return nil
	})
	// Tables are in order of hash, the rows of one are not.
	slices.Sort(p.hashes[first:])
	return err
}

// going calls Drop for each term of t, and returns the answers by hash. Two terms with
// one hash are dropped together or not at all, because the ledger is changed by hash.
func (p *rewriting) going(t table.Table, what string) (map[uint64]bool, error) {
	going := make(map[uint64]bool)
	err := p.eachRow(t, what, func(hash uint64, term, _ []byte) error {
		goes := p.drop(term, p.cells)
		if before, twice := going[hash]; twice {
			goes = goes && before
		}
		going[hash] = goes
		return nil
	})
	return going, err
}

// eachRow calls f with each row of t, decoded into p.cells.
func (p *rewriting) eachRow(t table.Table, what string, f func(hash uint64, term, row []byte) error) error {
	var failed error
	err := t.All(func(_ uint32, term, row []byte) bool {
		if failed = p.decode(term, row); failed == nil {
			failed = f(p.db.header.Key.Hash(term), term, row)
		}
		return failed == nil
	})
	if err != nil {
		return &CorruptError{What: what, Err: err}
	}
	return failed
}

func (p *rewriting) decode(term, row []byte) error {
	err := p.row.Decode(row, false)
	p.cells = p.cells[:0]
	for i := range p.row.Cells {
		c := &p.row.Cells[i]
		at := p.totals.At(count.ClassID(c.Class))
		if at < 0 && err == nil {
			err = ErrNoClass
		}
		p.cells = append(p.cells, count.Cell{Class: at, DF: c.DF, TF: c.TF, W: c.W})
	}
	if err != nil {
		return layout.DamagedRow(term, err)
	}
	return nil
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
			_, goes := slices.BinarySearch(p.hashes, p.db.header.Key.Hash(term))
			return goes
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
