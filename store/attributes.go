package store

import (
	"bytes"
	"fmt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/wire"
	bolt "go.etcd.io/bbolt"
)

// Attributes returns what was counted of every attribute, in order of name. It may
// be kept, and is shared: nobody may change it. Asked again before anything else
// was learned, it costs nothing.
func (s *Snapshot) Attributes() ([]*count.AttributeTotals, error) {
	if known := s.db.attributes.Load(); known != nil && known.bolt == s.tx.DB() && known.tx == s.tx.ID() {
		return known.list, nil
	}
	var list []*count.AttributeTotals
	err := eachAttributeRow(s.tx.Bucket(stored.BucketAttribute), func(name string, row *attributeRow) error {
		t, err := s.attributeTotals(name, row)
		list = append(list, t)
		return err
	})
	if err != nil {
		return nil, s.db.fail(err)
	}
	s.db.attributes.Store(&knownAttributes{s.tx.DB(), s.tx.ID(), list})
	return list, nil
}

// knownAttributes are those of one state of the file: transactions of one number
// read the same.
type knownAttributes struct {
	bolt *bolt.DB
	tx   int
	list []*count.AttributeTotals
}

// Attribute returns what was counted of one attribute, or nil if no document that
// was learned has it.
func (s *Snapshot) Attribute(name string) (*count.AttributeTotals, error) {
	var row attributeRow
	if found, err := s.attributeRow(name, &row); err != nil || !found {
		return nil, s.db.fail(err)
	}
	t, err := s.attributeTotals(name, &row)
	return t, s.db.fail(err)
}

func (s *Snapshot) attributeRow(name string, row *attributeRow) (bool, error) {
	b := s.tx.Bucket(stored.BucketAttribute)
	if b == nil || name == "" {
		return false, nil
	}
	v := b.Get([]byte(name))
	if v == nil {
		return false, nil
	}
	return true, readAttributeRow([]byte(name), v, row)
}

func (s *Snapshot) attributeTotals(name string, row *attributeRow) (*count.AttributeTotals, error) {
	t := &count.AttributeTotals{Name: name, Kind: row.kind, Values: row.values, Classes: make([]count.AttributeCell, len(s.totals.classes))}
	for i := range row.cells {
		at := s.totals.at(count.ClassID(row.cells[i].class))
		if at < 0 {
			return nil, &CorruptError{What: attributeName(name), Err: ErrNoClass}
		}
		t.Classes[at] = row.cells[i].AttributeCell
	}
	return t, nil
}

// CategoryCounts sets counts[c] to the number of documents of class c, in the
// order of Classes, whose attribute of that name is that category, and says whether
// any class has such documents. len(counts) is that of Classes.
func (s *Snapshot) CategoryCounts(name, category string, counts []uint64) (bool, error) {
	clear(counts)
	b := s.tx.Bucket(stored.BucketValue)
	a := count.Attribute{Name: name, Kind: count.Category, Category: category}
	if b == nil || a.Check() != nil {
		return false, nil
	}
	key := []byte(valueKey(name, category))
	v := b.Get(key)
	if v == nil {
		return false, nil
	}
	row, err := readValueRow(key, v, s.listed[:0])
	if err != nil {
		return false, s.db.fail(err)
	}
	s.listed = row
	return true, s.db.fail(s.spreadValue(name, row, counts))
}

// spreadValue sets counts, by place in Classes, to those of a row.
func (s *Snapshot) spreadValue(name string, row valueRow, counts []uint64) error {
	clear(counts)
	for _, c := range row {
		at := s.totals.at(count.ClassID(c.class))
		if at < 0 {
			return &CorruptError{What: "values of " + attributeName(name), Err: ErrNoClass}
		}
		counts[at] = c.n
	}
	return nil
}

// EachValue calls f with each value of a Category or Uniform, in order, and with
// the number of documents of each class that have it. value and counts are valid
// only during the call.
func (s *Snapshot) EachValue(name string, f func(value *count.Attribute, counts []uint64) error) error {
	var row attributeRow
	found, err := s.attributeRow(name, &row)
	if err != nil || !found || !isListed(row.kind) {
		return s.db.fail(err)
	}
	counts := make([]uint64, len(s.totals.classes))
	// An error of f's is returned as it is.
	var failed error
	err = eachValueRow(s.tx.Bucket(stored.BucketValue), name, func(key []byte, v valueRow) error {
		_, value, _ := splitValueKey(key)
		a, err := valueOf(name, row.kind, value)
		if err != nil {
			return &CorruptError{What: "values of " + attributeName(name)}
		}
		if err := s.spreadValue(name, v, counts); err != nil {
			return err
		}
		failed = f(&a, counts)
		return failed
	})
	if failed != nil {
		return failed
	}
	return s.db.fail(err)
}

// GreatestWithout returns the greatest value of a Uniform in class c, an index of
// Classes, after one document of that class with value x has been left out; ok is
// false if the class has no other. If x is the greatest itself, the values that only
// other classes have are passed over on the way to the next one below, at some 0.1 µs
// each.
func (s *Snapshot) GreatestWithout(name string, c int, x float64) (greatest float64, ok bool, err error) {
	var row attributeRow
	found, err := s.attributeRow(name, &row)
	if err != nil || !found || row.kind != count.Uniform {
		return 0, false, s.db.fail(err)
	}
	class := uint32(s.totals.classes[c].ID)
	at, found := row.find(class)
	if !found || row.cells[at].N < 2 {
		return 0, false, nil
	}
	if greatest = row.cells[at].Greatest; x < greatest {
		return greatest, true, nil
	}
	// It is the greatest itself: another may be equal, or the next one below is
	// the greatest then.
	greatest, ok, err = nearest(s.tx.Bucket(stored.BucketValue), name, class, greatest, true, 1)
	return greatest, ok, s.db.fail(err)
}

// nearest returns the value of a Uniform that documents of class have, and that is
// the first from x on, or down from there. Of x itself so many are left out. It reads
// the values of other classes that lie between: values are kept once for all classes.
func nearest(values *bolt.Bucket, name string, class uint32, x float64, down bool, without uint64) (float64, bool, error) {
	if values == nil {
		return 0, false, nil
	}
	c := values.Cursor()
	move := c.Next
	first := []byte(valueKey(name, valueBytes(&count.Attribute{Kind: count.Uniform, Number: x})))
	k, v := c.Seek(first)
	if down {
		move = c.Prev
		switch {
		case k == nil:
			k, v = c.Last()
		case !bytes.Equal(k, first):
			k, v = c.Prev() // Seek stops behind it
		}
	}
	var row valueRow
	for prefix := valuePrefix(name); bytes.HasPrefix(k, prefix); k, v = move() {
		a, err := valueOf(name, count.Uniform, k[len(prefix):])
		if err != nil {
			return 0, false, &CorruptError{What: "values of " + attributeName(name)}
		}
		if row, err = readValueRow(k, v, row); err != nil {
			return 0, false, err
		}
		n := row.count(class)
		if a.Number == x {
			n -= min(n, without)
		}
		if n > 0 {
			return a.Number, true, nil
		}
	}
	return 0, false, nil
}

func attributeName(name string) string { return fmt.Sprintf("attribute %.40q", name) }

// readAttributeRow decodes a value of the attribute bucket.
func readAttributeRow(key, value []byte, row *attributeRow) error {
	if row.decode(wire.CheckCRC(value, key)) != nil || count.CheckName(string(key)) != nil {
		return &CorruptError{What: attributeName(string(key))}
	}
	return nil
}

// readValueRow decodes a value of the value bucket, in place of row.
func readValueRow(key, value []byte, row valueRow) (valueRow, error) {
	row, err := decodeValue(wire.CheckCRC(value, key), row)
	if err != nil {
		name, _, _ := splitValueKey(key)
		return row, &CorruptError{What: "values of " + attributeName(name)}
	}
	return row, nil
}

// eachAttributeRow calls f with each row of the bucket, which may be nil, in order
// of name. The row is valid only during the call.
func eachAttributeRow(b *bolt.Bucket, f func(name string, row *attributeRow) error) error {
	if b == nil {
		return nil
	}
	var row attributeRow
	var last []byte
	return b.ForEach(func(k, v []byte) error {
		if bytes.Compare(k, last) <= 0 || len(k) > count.MaxNameBytes {
			return &CorruptError{What: "list of attributes"} // or it may have no end
		}
		last = k
		if err := readAttributeRow(k, v, &row); err != nil {
			return err
		}
		return f(string(k), &row)
	})
}

// eachValueRow calls f with each value of an attribute, in order. Key and row are
// valid only during the call.
func eachValueRow(b *bolt.Bucket, name string, f func(key []byte, row valueRow) error) error {
	if b == nil {
		return nil
	}
	prefix := valuePrefix(name)
	var row valueRow
	var last []byte
	c := b.Cursor()
	for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = c.Next() {
		if bytes.Compare(k, last) <= 0 {
			return &CorruptError{What: "values of " + attributeName(name)}
		}
		last = k
		var err error
		if row, err = readValueRow(k, v, row); err != nil {
			return err
		}
		if err := f(k, row); err != nil {
			return err
		}
	}
	return nil
}
