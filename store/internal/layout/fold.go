package layout

import (
	"cmp"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
)

// This file stores the sum of the tail, or of its beginning, beside the log, so that a
// process for one message need not compute it. It only repeats the log: if it is missing,
// damaged or of another tail, the log is read instead.

// maxFold bounds the bytes of a fold: its size has no bound where documents are encoded
// more densely in the log than in a table.
const maxFold = 4 << 20

// newTerms is the approximate number of terms of a record that other records of the tail lack.
const newTerms = 128

// Fold returns the sum of the beginning of the tail, nil if there is none.
func (tx Tx) Fold() *stored.Fold {
	b := tx.Bucket(stored.BucketFold)
	if b == nil {
		return nil
	}
	base, err := tx.Corpus()
	f, ok := stored.DecodeFold(b.Get(stored.KeyFold))
	if err != nil || !ok || f.From != base.Merged || f.To > tx.LastSeq() {
		return nil
	}
	if len(f.Rows) > 0 {
		if t, err := table.Open(f.Rows); err != nil || t.Seq() != f.To {
			return nil
		}
	}
	return &f
}

// FoldDue reports whether a fold should be made: the tail has at least every records that
// the fold lacks, and a sixteenth as many as it has.
func (tx Tx) FoldDue(every int) (bool, error) {
	base, err := tx.Corpus()
	if err != nil {
		return false, err
	}
	folded := uint64(0)
	if f := tx.Fold(); f != nil {
		folded = f.To - f.From
	}
	return tx.LastSeq()-base.Merged-folded >= max(uint64(every), folded/16), nil
}

// PutFold stores the sum of the tail, after which the classes have these totals and
// vocabulary is the number of terms.
func (tx Tx) PutFold(key *table.Key, classes []*count.Class, vocabulary uint64) error {
	base, err := tx.Corpus()
	if err != nil {
		return err
	}
	f := stored.Fold{From: base.Merged, To: base.Merged, Vocabulary: vocabulary}
	f.SetClasses(classes)
	before := tx.foldedRows(true)
	if before != nil {
		old := tx.Fold()
		f.To, f.Bytes, f.IDs = old.To, old.Bytes, slices.Clip(old.IDs) // which lie in the file
	}
	var dir Directory
	if err := dir.Load(tx); err != nil {
		return err
	}
	load := rows.Loader{Overlay: rows.NewSmallOverlay(int(tx.LastSeq()-f.To) * newTerms), Key: key, From: dir.Position}
	err = tx.EachRecord(f.To, func(rec *stored.Record) error {
		load.Add(&rec.Doc, uint32(rec.Class), rec.Sign(), rec.Seq)
		f.To, f.Bytes = rec.Seq, f.Bytes+uint64(len(rec.Doc.Raw))
		f.IDs = append(f.IDs, rec.Doc.ID[:]...)
		return nil
	})
	if err == nil {
		f.Rows, err = dir.fold(key, before, load.Overlay, f.To)
	}
	if err != nil {
		return err
	}
	b, err := tx.CreateBucketIfNotExists(stored.BucketFold)
	if err != nil {
		return err
	}
	return b.Put(stored.KeyFold, f.Encode())
}

// fold returns the table of a fold up to position seq: before, which may be nil, with the
// changes since. It returns nil if the table would be too large.
func (d *Directory) fold(key *table.Key, before *rows.Fold, since *rows.Overlay, seq uint64) (data []byte, err error) {
	b := builders.Get().(*table.Builder)
	defer builders.Put(b)
	b.Reset()
	var replaced Places
	var list []rows.Change
	var row []byte
	if before != nil {
		b.Grow(before.Table, 1.5)
	}
	err = since.Each(func(hash uint64, term []byte, changes []rows.Change) error {
		list = append(list[:0], changes...)
		if before != nil && d.Position(hash) < before.Seq() {
			old, place, err := before.Locate(hash, term)
			if err == nil && old != nil {
				replaced = append(replaced, place)
				list, err = rows.ReadChanges(list, old)
			}
			if err != nil {
				return err
			}
		}
		if row = rows.AppendChanges(row[:0], list); len(row) > 0 {
			b.Add(hash, term, row)
		}
		return tooLarge(b)
	})
	if err == nil && before != nil {
		slices.Sort(replaced)
		err = before.All(func(place uint32, term, row []byte) bool {
			if hash := key.Hash(term); !replaced.Pass(place) && d.Position(hash) < before.Seq() {
				b.Add(hash, term, row)
			}
			return tooLarge(b) == nil
		})
	}
	if err = cmp.Or(err, tooLarge(b)); err != nil {
		if err == errEnough {
			err = nil
		}
		return nil, err
	}
	return b.Finish(seq), nil
}

// tooLarge returns errEnough for a fold that is not kept.
func tooLarge(b *table.Builder) error {
	if b.Size() > maxFold {
		return errEnough
	}
	return nil
}

// DropFold removes the fold: the tables now hold its records.
func (tx Tx) DropFold() error {
	if b := tx.Bucket(stored.BucketFold); b != nil {
		return b.Delete(stored.KeyFold)
	}
	return nil
}

// foldedRows returns the sums of the fold, nil if it is missing or damaged. With all,
// which reads the whole table, its checksum is verified.
func (tx Tx) foldedRows(all bool) *rows.Fold {
	f := tx.Fold()
	if f == nil {
		return nil
	}
	t, err := table.Open(f.Rows)
	if err != nil || all && !t.Sound() {
		return nil // there are none, or they are damaged
	}
	return &rows.Fold{Table: t}
}

// SumTail sums the changes of the tail of the log to the tables of dir, for the terms in
// want, or for all if want is nil. seen, if not nil, is called with each record.
func (tx Tx) SumTail(dir *Directory, key *table.Key, want *rows.Wanted, seen func(*stored.Record)) (*rows.Overlay, error) {
	base, err := tx.Corpus()
	if err != nil {
		return nil, err
	}
	load := rows.Loader{Key: key, Want: want, From: dir.Position}
	if want == nil { // else it is made when it is known how many there are
		load.Overlay = rows.NewOverlay()
	}
	from := base.Merged
	if seen == nil {
		if load.Fold = tx.foldedRows(want == nil); load.Fold != nil {
			from = load.Fold.Seq()
		}
	}
	if load.Begin() != nil {
		from, load.Fold = base.Merged, nil
		_ = load.Begin() // nothing can be wrong with none
	}
	err = tx.EachRecord(from, func(rec *stored.Record) error {
		load.Add(&rec.Doc, uint32(rec.Class), rec.Sign(), rec.Seq)
		if seen != nil {
			seen(rec)
		}
		return nil
	})
	return load.Finish(), err
}
