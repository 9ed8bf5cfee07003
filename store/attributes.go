package store

import (
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// Attributes returns the counts of every attribute, in order of name. The result may be kept.
func (s *Snapshot) Attributes() (list []*count.AttributeTotals, err error) {
	err = attributes.EachRow(s.tx.Bucket(stored.BucketAttribute), func(name string, row *attributes.Row) error {
		t := &count.AttributeTotals{Name: name, Kind: row.Kind, Values: row.Values, Classes: make([]count.AttributeCell, len(s.totals.Classes))}
		for i := range row.Cells {
			at := s.totals.At(count.ClassID(row.Cells[i].Class))
			if at < 0 {
				return &CorruptError{What: attributes.NameOf(name), Err: ErrNoClass}
			}
			t.Classes[at] = row.Cells[i].AttributeCell
		}
		list = append(list, t)
		return nil
	})
	return list, s.db.fail(err)
}

// CategoryCounts sets counts[c] to the number of documents of class c, in the order of
// Classes, whose attribute of that name is that category, and reports whether any class
// has such documents. counts must be as long as Classes.
func (s *Snapshot) CategoryCounts(name, category string, counts []uint64) (bool, error) {
	clear(counts)
	b := s.tx.Bucket(stored.BucketValue)
	a := count.Attribute{Name: name, Kind: count.Category, Category: category}
	if b == nil || a.Check() != nil {
		return false, nil
	}
	key := []byte(attributes.ValueKey(name, category))
	v := b.Get(key)
	if v == nil {
		return false, nil
	}
	if err := attributes.ReadValueRow(key, v, &s.value); err != nil {
		return false, s.db.fail(err)
	}
	return true, s.db.fail(s.spreadValue(name, &s.value, counts))
}

// spreadValue sets counts, by place in Classes, to the counts of a row.
func (s *Snapshot) spreadValue(name string, row *attributes.Row, counts []uint64) error {
	clear(counts)
	for _, c := range row.Cells {
		at := s.totals.At(count.ClassID(c.Class))
		if at < 0 {
			return &CorruptError{What: "values of " + attributes.NameOf(name), Err: ErrNoClass}
		}
		counts[at] = c.N
	}
	return nil
}

// EachValue calls f with each value of a Category or Uniform, in order, and with
// the number of documents of each class that have it. value and counts are valid
// only during the call.
func (s *Snapshot) EachValue(name string, f func(value *count.Attribute, counts []uint64) error) error {
	var row attributes.Row
	found, err := attributes.Get(s.tx.Bucket(stored.BucketAttribute), name, &row)
	if err != nil || !found || !attributes.Listed(row.Kind) {
		return s.db.fail(err)
	}
	counts := make([]uint64, len(s.totals.Classes))
	var failed error // of f
	err = attributes.EachValueRow(s.tx.Bucket(stored.BucketValue), name, func(key []byte, v *attributes.Row) error {
		_, value, _ := attributes.SplitValueKey(key)
		a, err := attributes.ValueOf(name, row.Kind, value)
		if err != nil {
			return &CorruptError{What: "values of " + attributes.NameOf(name)}
		}
		if err := s.spreadValue(name, v, counts); err != nil {
			return err
		}
		failed = f(&a, counts)
		return failed
	})
	return s.failed(err, failed)
}

// GreatestWithout returns the greatest value of a Uniform in class c, an index of
// Classes, after one document of that class with value x has been left out; ok is
// false if the class has no other. If x is the greatest itself, the values that only
// other classes have are passed over on the way to the next one below, at some 0.1 µs
// each.
func (s *Snapshot) GreatestWithout(name string, c int, x float64) (greatest float64, ok bool, err error) {
	var row attributes.Row
	found, err := attributes.Get(s.tx.Bucket(stored.BucketAttribute), name, &row)
	if err != nil || !found || row.Kind != count.Uniform {
		return 0, false, s.db.fail(err)
	}
	class := uint32(s.totals.Classes[c].ID)
	at, found := row.Find(class)
	if !found || row.Cells[at].N < 2 {
		return 0, false, nil
	}
	if greatest = row.Cells[at].Greatest; x < greatest {
		return greatest, true, nil
	}
	// x is the greatest: another may equal it, or else the next value below becomes the
	// greatest.
	greatest, ok, err = attributes.Nearest(s.tx.Bucket(stored.BucketValue), name, class, greatest, true, 1)
	return greatest, ok, s.db.fail(err)
}
