// Package rewrite rewrites a database, without free space and without the terms to be
// dropped.
package rewrite

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/totals"
)

// Rewriting copies a file whose tables hold the whole log, without the dropped terms.
type Rewriting struct {
	Key    *table.Key // of the hashes of terms
	From   layout.Tx
	Totals *totals.Totals // of From, and then of the new file; its classes are its own

	// Drop returns whether a term is dropped. It gets the cells of the term, without U,
	// whose Class is the index into Totals.Classes. If it is nil all terms are copied.
	Drop func(term []byte, cells []count.Cell) bool

	// Target returns the target size of a table in a file with so many bytes of tables.
	Target func(bytes int) int

	Terms  uint64 // dropped
	Tokens uint64 // their occurrences, over all classes

	ctx    context.Context
	to     *file.Filling
	hashes []uint64 // of the terms that go, in ascending order
	row    table.Row
	cells  []count.Cell
}

// Fill writes the new file. If Drop is given and no term is dropped, the file is not complete.
func (p *Rewriting) Fill(ctx context.Context, to *file.Copy) error {
	return to.Fill(ctx, func(w *file.Filling) error {
		p.ctx, p.to = ctx, w
		return p.run()
	})
}

func (p *Rewriting) run() error {
	h, err := p.From.Header()
	if err != nil {
		return err
	}
	for _, name := range h.Buckets() {
		if err := p.to.Create(name, p.From.Bucket(name).Sequence()); err != nil {
			return err
		}
	}
	if err := p.copyTables(); err != nil || p.Terms == 0 && p.Drop != nil {
		return err
	}
	for _, name := range h.Buckets() {
		if bytes.Equal(name, stored.BucketTotal) || bytes.Equal(name, stored.BucketLog) || bytes.Equal(name, stored.BucketTable) {
			continue // made anew
		}
		if err := p.to.Bucket(name, p.From.Bucket(name)); err != nil {
			return err
		}
	}
	if err := p.copyLog(); err != nil {
		return err
	}
	tx := layout.Tx{Tx: p.to.Tx()}
	if p.Drop == nil {
		return p.Totals.Put(tx, p.Totals.Seq)
	}
	if p.Totals.Epoch++; p.Totals.Epoch >= stored.LostEpoch {
		return fmt.Errorf("%w: terms have been dropped %d times", count.ErrInvalid, p.Totals.Epoch)
	}
	return cmp.Or(p.Totals.Put(tx, p.Totals.Seq), tx.SetFlag(stored.FlagPruned))
}

// copyTables writes the rows that stay, and joins small tables with those that follow.
func (p *Rewriting) copyTables() error {
	var dir layout.Directory
	if err := dir.Load(p.From); err != nil {
		return err
	}
	target := p.Target(dir.Bytes)
	var build table.Builder
	for i, t := range dir.Tables {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		what := layout.TableName(dir.Bounds[i])
		if !t.Sound() {
			return &fault.Error{What: what, Err: table.ErrCorrupt}
		}
		if err := p.copyRows(t, what, &build); err != nil {
			return err
		}
		if build.Size() < target/2 && i+1 < len(dir.Tables) {
			continue
		}
		bound := stored.SeqKey(dir.Bounds[i])
		err := cmp.Or(p.to.Put(stored.BucketTable, bound, build.Finish(p.Totals.Seq)), p.to.Put(stored.BucketTable, stored.PadKey(bound), nil))
		if err != nil {
			return err
		}
		build.Reset()
	}
	return nil
}

// copyRows adds the rows of t that stay to build, and counts the others as dropped.
func (p *Rewriting) copyRows(t table.Table, what string, build *table.Builder) error {
	var going map[uint64]bool
	if p.Drop != nil {
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
		p.Terms++
		if count.OfChannel(term) {
			return nil // no total counts it
		}
		p.Totals.Vocabulary--
		for _, c := range p.cells {
			class := p.Totals.Classes[c.Class]
			rows.MoveTerms(class, c.DF, 0, 1)
			class.Dropped += c.TF
			class.DroppedWeight += c.W
			p.Tokens += c.TF
		}
		return nil
	})
	// Tables are in order of hash, the rows of one are not.
	slices.Sort(p.hashes[first:])
	return err
}

// going calls Drop for each term of t, and returns the answers by hash. Two terms with
// one hash are dropped together or not at all, because the ledger is changed by hash.
func (p *Rewriting) going(t table.Table, what string) (map[uint64]bool, error) {
	going := make(map[uint64]bool)
	err := p.eachRow(t, what, func(hash uint64, term, _ []byte) error {
		goes := p.Drop(term, p.cells)
		if before, twice := going[hash]; twice {
			goes = goes && before
		}
		going[hash] = goes
		return nil
	})
	return going, err
}

// eachRow calls f with each row of t, decoded into p.cells.
func (p *Rewriting) eachRow(t table.Table, what string, f func(hash uint64, term, row []byte) error) error {
	var failed error
	err := t.All(func(_ uint32, term, row []byte) bool {
		if failed = p.decode(term, row); failed == nil {
			failed = f(p.Key.Hash(term), term, row)
		}
		return failed == nil
	})
	if err != nil {
		return &fault.Error{What: what, Err: err}
	}
	return failed
}

func (p *Rewriting) decode(term, row []byte) error {
	err := p.row.Decode(row, false)
	p.cells = p.cells[:0]
	for i := range p.row.Cells {
		c := &p.row.Cells[i]
		at := p.Totals.At(count.ClassID(c.Class))
		if at < 0 && err == nil {
			err = totals.ErrNoClass
		}
		p.cells = append(p.cells, count.Cell{Class: at, DF: c.DF, TF: c.TF, W: c.W})
	}
	if err != nil {
		return &fault.Error{What: fmt.Sprintf("row of term %.40q", term), Err: err}
	}
	return nil
}

// copyLog writes the records, all of which belong to the ledger, with their dropped terms
// as a histogram of counts.
func (p *Rewriting) copyLog() error {
	return p.From.Bucket(stored.BucketLog).ForEach(func(k, v []byte) error {
		rec, err := stored.DecodeRecord(k, v)
		if err != nil {
			return err
		}
		short, err := rec.Without(func(term []byte) bool {
			_, goes := slices.BinarySearch(p.hashes, p.Key.Hash(term))
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
