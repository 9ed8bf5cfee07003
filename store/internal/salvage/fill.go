package salvage

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/pages"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// Fill writes the data that is kept unchanged, with empty tables in place of the lost ones.
func (k *Plan) Fill(f *file.Filling) error {
	for _, step := range []func(*file.Filling) error{k.copyMeta, k.copyClasses, k.copyTables, k.copyLog, k.copyAttributes} {
		if err := step(f); err != nil {
			return err
		}
	}
	return nil
}

func (k *Plan) copyMeta(f *file.Filling) error {
	if k.corpus.Epoch > 0 {
		k.header.Flags |= stored.FlagPruned
	}
	if b := k.Buckets[string(stored.BucketAttribute)]; b.Headed || len(b.Pieces) > 0 {
		k.header.Flags |= stored.FlagAttributes
	}
	for _, name := range k.header.Buckets() {
		if err := f.Create(name, k.Buckets[string(name)].Sequence); err != nil {
			return err
		}
	}
	if err := f.Tx().Bucket(stored.BucketLog).SetSequence(k.last); err != nil {
		return err
	}
	corpus := k.corpus
	corpus.Merged, corpus.Seq = k.last, k.last
	return cmp.Or(
		f.Put(stored.BucketMeta, stored.KeyHeader, k.header.Encode()),
		f.Put(stored.BucketMeta, stored.KeyAnalyzer, wire.AppendCRC([]byte(*k.Analyzer), stored.KeyAnalyzer)),
		f.Put(stored.BucketMeta, stored.KeyCorpus, corpus.Encode()),
		k.Settings(layout.Tx{Tx: f.Tx()}, k.out),
	)
}

func (k *Plan) copyClasses(f *file.Filling) error {
	last := k.Buckets[string(stored.BucketClass)].Sequence
	for _, id := range slices.Sorted(maps.Keys(k.Names)) {
		key := stored.ClassKey(id)
		last = max(last, uint64(id))
		err := cmp.Or(f.Put(stored.BucketClass, key, wire.AppendCRC([]byte(k.Names[id]), key)), f.Put(stored.BucketTotal, key, stored.EncodeClass(k.classes[id], key)))
		if err != nil {
			return err
		}
	}
	return f.Tx().Bucket(stored.BucketClass).SetSequence(last)
}

func (k *Plan) copyTables(f *file.Filling) error {
	tables := slices.Clone(k.tables)
	for _, s := range k.lost {
		tables = append(tables, kept{span: s})
	}
	slices.SortFunc(tables, func(a, b kept) int { return cmp.Compare(a.low, b.low) })
	for _, t := range tables {
		// The table in place of a lost one says that it holds all records, so that none is added.
		data := new(table.Builder).Finish(k.last)
		if t.where.Key != nil {
			if data = k.Value(t.where); data == nil {
				return &fault.Error{What: layout.TableName(t.high)}
			}
		}
		key := stored.SeqKey(t.high)
		if err := cmp.Or(f.Put(stored.BucketTable, key, data), f.Put(stored.BucketTable, stored.PadKey(key), nil)); err != nil {
			return err
		}
	}
	return nil
}

// copyLog writes the ledger and its records. In a fully kept document, terms whose rows
// are lost count as dropped; a digest needs no change.
func (k *Plan) copyLog(f *file.Filling) error {
	for i := range k.Records {
		where := &k.Records[i]
		if e := k.ledger[where.id]; e.Keep != count.LedgerFull || e.Seq != where.seq {
			continue
		}
		value, err := k.shortened(where)
		if err != nil {
			return err
		}
		if err := f.Put(stored.BucketLog, where.where.Key, value); err != nil {
			return err
		}
	}
	for _, id := range layout.InOrder(k.ledger) {
		e := k.ledger[id]
		if err := f.Put(stored.BucketLedger, id[:], e.Encode(id)); err != nil {
			return err
		}
	}
	return nil
}

// shortened returns the value of a record without the terms whose rows are lost.
func (k *Plan) shortened(where *FoundRecord) ([]byte, error) {
	whole := k.Value(where.where)
	if len(k.lost) == 0 {
		return whole, nil
	}
	rec, err := k.Record(where)
	if err != nil {
		return nil, err
	}
	short, err := rec.Without(func(term []byte) bool { return k.isLost(k.header.Key.Hash(term)) })
	if short == nil {
		return whole, err
	}
	return short, err
}

// copyAttributes writes the attributes whose row and values are complete and consistent.
func (k *Plan) copyAttributes(f *file.Filling) error {
	if k.header.Flags&stored.FlagAttributes == 0 {
		return nil
	}
	values := make(map[string][]pages.Piece)
	for _, p := range k.Buckets[string(stored.BucketValue)].Pieces {
		if name, _, ok := attributes.SplitValueKey(p.Key); ok {
			values[name] = append(values[name], p)
		}
	}
	rows := k.Buckets[string(stored.BucketAttribute)]
	for _, p := range rows.Pieces {
		name := string(p.Key)
		slices.SortFunc(values[name], func(a, b pages.Piece) int { return bytes.Compare(a.Key, b.Key) })
		if !k.attribute(p, values[name]) {
			k.out.lost("what was counted of %s; documents that have it cannot be forgotten", attributes.NameOf(name))
			continue
		}
		if err := f.Put(stored.BucketAttribute, p.Key, k.Value(p)); err != nil {
			return err
		}
		for _, v := range values[name] {
			if err := f.Put(stored.BucketValue, v.Key, k.Value(v)); err != nil {
				return err
			}
		}
	}
	if rows.Torn {
		k.out.lost("perhaps what was counted of other attributes; documents that have them cannot be forgotten")
	}
	return nil
}

// attribute reports whether documents of these classes can have given a row and its values.
func (k *Plan) attribute(p pages.Piece, values []pages.Piece) bool {
	var row attributes.Row
	if attributes.ReadRow(p.Key, k.Value(p), &row) != nil {
		return false
	}
	for i := range row.Cells {
		c := &row.Cells[i]
		class := k.classes[count.ClassID(c.Class)]
		if class == nil || c.N > class.Docs || c.Check() != nil {
			return false
		}
	}
	check := attributes.NewValueCheck(string(p.Key), &row)
	for _, v := range values {
		_, value, _ := attributes.SplitValueKey(v.Key)
		cells, err := attributes.ReadValueRow(v.Key, k.Value(v), nil)
		if err != nil || check.Add(value, cells) != nil {
			return false
		}
	}
	return check.Finish() == nil
}
