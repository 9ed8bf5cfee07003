package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/totals"
)

// pruning copies a file whose tables hold the whole log into a new one, without
// the terms that go.
type pruning struct {
	ctx    context.Context
	db     *DB
	drop   func(term []byte, cells []count.Cell) bool // nil: no term goes, and all is copied
	from   layout.Tx
	totals *totals.Totals // of from, and then of the new file; its classes are its own
	out    Pruned
	to     *file.Filling

	hashes []uint64 // of the terms that go, in ascending order
	row    table.Row
	cells  []count.Cell
}

// fill writes the new file.
func (p *pruning) fill(to *file.Copy) error {
	return to.Fill(p.ctx, func(w *file.Filling) error {
		p.to = w
		return p.run()
	})
}

func (p *pruning) run() error {
	h, err := p.from.Header()
	if err != nil {
		return err
	}
	for _, name := range h.Buckets() {
		if err := p.to.Create(name, p.from.Bucket(name).Sequence()); err != nil {
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
		if err := p.to.Bucket(name, p.from.Bucket(name)); err != nil {
			return err
		}
	}
	if err := p.copyLog(); err != nil {
		return err
	}
	if p.drop == nil {
		return p.totals.Put(layout.Tx{Tx: p.to.Tx()}, p.totals.Seq)
	}
	if p.totals.Epoch++; p.totals.Epoch >= stored.LostEpoch {
		return fmt.Errorf("%w: terms have been dropped %d times", count.ErrInvalid, p.totals.Epoch)
	}
	return cmp.Or(p.totals.Put(layout.Tx{Tx: p.to.Tx()}, p.totals.Seq), layout.Tx{Tx: p.to.Tx()}.SetFlag(stored.FlagPruned))
}

// copyTables writes the rows that stay. Tables that have become small are
// joined with those that follow.
func (p *pruning) copyTables() error {
	var dir layout.Directory
	if err := dir.Load(p.from); err != nil {
		return err
	}
	target := p.db.tuning().tableTarget(dir.Bytes)
	var build table.Builder
	for i, t := range dir.Tables {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		what := layout.TableName(dir.Bounds[i])
		if !t.Sound() {
			return &CorruptError{What: what, Err: table.ErrCorrupt}
		}
		if err := p.copyRows(t, what, &build); err != nil {
			return err
		}
		if build.Size() < target/2 && i+1 < len(dir.Tables) {
			continue
		}
		bound := stored.SeqKey(dir.Bounds[i])
		if err := p.to.Put(stored.BucketTable, bound, build.Finish(p.totals.Seq)); err != nil {
			return err
		}
		if err := p.to.Put(stored.BucketTable, stored.PadKey(bound), nil); err != nil {
			return err
		}
		build.Reset()
	}
	return nil
}

// copyRows adds the rows of t that stay to build, and counts the others as
// dropped.
func (p *pruning) copyRows(t table.Table, what string, build *table.Builder) error {
	going, err := p.going(t, what)
	if err != nil {
		return err
	}
	first := len(p.hashes)
	err = p.eachRow(t, what, func(hash uint64, term, row []byte) error {
		if !going[hash] {
			build.Add(hash, term, row)
			return nil
		}
		p.hashes = append(p.hashes, hash)
		p.out.Terms++
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

// going asks of each term of t whether it goes, and returns by hash what was
// answered. Should ever two terms have one hash, they go together or not at all:
// the ledger is told by hash.
func (p *pruning) going(t table.Table, what string) (map[uint64]bool, error) {
	going := make(map[uint64]bool)
	err := p.eachRow(t, what, func(hash uint64, term, _ []byte) error {
		goes := p.drop != nil && p.drop(term, p.cells)
		if before, twice := going[hash]; twice {
			goes = goes && before
		}
		going[hash] = goes
		return nil
	})
	return going, err
}

// eachRow calls f with each row of t, decoded into p.cells.
func (p *pruning) eachRow(t table.Table, what string, f func(hash uint64, term, row []byte) error) error {
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

func (p *pruning) decode(term, row []byte) error {
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
		return &CorruptError{What: fmt.Sprintf("row of term %.40q", term), Err: err}
	}
	return nil
}

// copyLog writes the records, which are those of the ledger, with their dropped
// terms as a histogram of counts.
func (p *pruning) copyLog() error {
	return p.from.Bucket(stored.BucketLog).ForEach(func(k, v []byte) error {
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
