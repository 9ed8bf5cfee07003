package check

import (
	"bytes"
	"errors"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/totals"
)

// errFold is the error of a fold that is not the sum of its records.
var errFold = &fault.Error{What: "sum of the log", Err: errors.New("it differs from the sum of its records")}

// fold compares the sum of the tail, where the file has one, with the records. A sum of
// an earlier tail is stale but harmless: an older program leaves it behind.
func (c *Checker) fold() error {
	b := c.s.Tx.Bucket(stored.BucketFold)
	if b == nil {
		return nil
	}
	value := b.Get(stored.KeyFold)
	keys := 0
	err := b.ForEach(func(_, _ []byte) error { keys++; return nil })
	if err != nil || keys == 0 {
		return err
	}
	f, ok := stored.DecodeFold(value)
	if !ok || keys > 1 || f.To > c.s.Tx.LastSeq() {
		return errFold
	}
	if f.From != c.merged {
		return nil
	}
	var dir layout.Directory
	if err := dir.Load(c.s.Tx); err != nil {
		return err
	}
	load := rows.Loader{Overlay: rows.NewOverlay(), Key: c.s.Key, From: dir.Position}
	var ids []byte
	size := uint64(0)
	err = c.s.Tx.EachRecord(f.From, func(rec *stored.Record) error {
		if rec.Seq <= f.To {
			load.Add(&rec.Doc, uint32(rec.Class), rec.Sign(), rec.Seq)
			ids, size = append(ids, rec.Doc.ID[:]...), size+uint64(len(rec.Doc.Raw))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !bytes.Equal(ids, f.IDs) || size != f.Bytes {
		return errFold
	}
	if err := c.foldTotals(&f); err != nil || len(f.Rows) == 0 {
		return err
	}
	return c.foldRows(&f, &dir, load.Finish())
}

// foldTotals compares the totals of a fold with the totals computed from its records.
func (c *Checker) foldTotals(f *stored.Fold) error {
	t, err := totals.At(c.s.Tx, f.To)
	if err != nil || t.Seq > f.To {
		return err
	}
	sum := stored.Fold{From: f.From, To: f.To, Bytes: f.Bytes, IDs: f.IDs, Vocabulary: t.Vocabulary, Rows: f.Rows}
	sum.SetClasses(t.Classes)
	if !bytes.Equal(sum.Encode(), f.Encode()) {
		return errFold
	}
	return nil
}

// foldRows compares the rows of a fold with the sum of its records.
func (c *Checker) foldRows(f *stored.Fold, dir *layout.Directory, sum *rows.Overlay) error {
	t, err := table.Open(f.Rows)
	if err != nil || !t.Sound() || t.Seq() != f.To {
		return errFold
	}
	left := 0
	err = (&rows.Fold{Table: t}).Each(c.s.Key, dir.Position, func(uint64, []byte, []rows.Change) { left++ })
	for i := range dir.Tables {
		for _, changed := range sum.Between(dir.Low(i), dir.Bounds[i], dir.Tables[i].Seq(), f.To) {
			want := rows.AppendChanges(nil, changed.Changes)
			if len(want) == 0 {
				continue
			}
			left--
			if row, _, err := t.Locate(changed.Hash, changed.Term); err != nil || !bytes.Equal(row, want) {
				return errFold
			}
		}
	}
	if err != nil || left != 0 {
		return errFold
	}
	return nil
}
