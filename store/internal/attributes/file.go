package attributes

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// Nearest returns the first value of a Uniform from x up, or from x down, that documents
// of class have, after subtracting a number (without) of them at x itself. It also reads
// the values of other classes in between: values are stored once for all classes.
func Nearest(values *bolt.Bucket, name string, class uint32, x float64, down bool, without uint64) (float64, bool, error) {
	if values == nil {
		return 0, false, nil
	}
	c := values.Cursor()
	move := c.Next
	first := []byte(ValueKey(name, ValueBytes(&count.Attribute{Kind: count.Uniform, Number: x})))
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
	var row Row
	for prefix := valuePrefix(name); bytes.HasPrefix(k, prefix); k, v = move() {
		a, err := ValueOf(name, count.Uniform, k[len(prefix):])
		if err != nil {
			return 0, false, &fault.Error{What: "values of " + NameOf(name)}
		}
		if err := ReadValueRow(k, v, &row); err != nil {
			return 0, false, err
		}
		n := row.N(class)
		if a.Number == x {
			n -= min(n, without)
		}
		if n > 0 {
			return a.Number, true, nil
		}
	}
	return 0, false, nil
}

// NameOf names an attribute in a message.
func NameOf(name string) string { return fmt.Sprintf("attribute %.40q", name) }

// ReadRow decodes a value of the attribute bucket.
func ReadRow(key, value []byte, row *Row) error {
	if row.Decode(wire.CheckCRC(value, key)) != nil || count.CheckName(string(key)) != nil {
		return &fault.Error{What: NameOf(string(key))}
	}
	return nil
}

// Get reads the row of a key from a bucket, nil for none, by ReadRow or ReadValueRow, and reports whether it is there.
func Get(b *bolt.Bucket, key string, row *Row, read func(key, value []byte, row *Row) error) (found bool, err error) {
	if b == nil || key == "" {
		return false, nil
	}
	k := []byte(key)
	v := b.Get(k)
	if v == nil {
		return false, nil
	}
	return true, read(k, v, row)
}

// ReadValueRow decodes a value of the value bucket.
func ReadValueRow(key, value []byte, row *Row) error {
	if row.DecodeValue(wire.CheckCRC(value, key)) != nil {
		name, _, _ := SplitValueKey(key)
		return &fault.Error{What: "values of " + NameOf(name)}
	}
	return nil
}

// EachRow calls f with each row of the bucket, which may be nil, in order
// of name. The row is valid only during the call.
func EachRow(b *bolt.Bucket, f func(name string, row *Row) error) error {
	return each(b, nil, "list of attributes", ReadRow, func(key []byte, row *Row) error { return f(string(key), row) })
}

// EachValueRow calls f with each value of an attribute, in order; both are valid only then.
func EachValueRow(b *bolt.Bucket, name string, f func(key []byte, row *Row) error) error {
	return each(b, valuePrefix(name), "values of "+NameOf(name), ReadValueRow, f)
}

func each(b *bolt.Bucket, prefix []byte, what string, read func(key, value []byte, row *Row) error, f func(key []byte, row *Row) error) error {
	if b == nil {
		return nil
	}
	var row Row
	var last []byte
	c := b.Cursor()
	for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
		if bytes.Compare(k, last) <= 0 {
			return &fault.Error{What: what} // or it may have no end
		}
		last = k
		if err := read(k, v, &row); err != nil {
			return err
		}
		if err := f(k, &row); err != nil {
			return err
		}
	}
	return nil
}

// Write writes what has changed, and makes the buckets for the first attribute of a file.
func (s *Changes) Write() error {
	if !s.changed {
		return nil
	}
	if s.attributes == nil {
		if err := s.create(); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.listed)) {
		if err := putRow(s.values, []byte(key), s.listed[key].Append(nil)); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.rows)) {
		row := s.rows[name]
		if err := s.findBounds(name, row); err != nil {
			return err
		}
		if err := putRow(s.attributes, []byte(name), row.Append(nil)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Changes) create() (err error) {
	if s.attributes, err = s.tx.CreateBucketIfNotExists(stored.BucketAttribute); err != nil {
		return err
	}
	if s.values, err = s.tx.CreateBucketIfNotExists(stored.BucketValue); err != nil {
		return err
	}
	return s.tx.SetFlag(stored.FlagAttributes)
}

// putRow writes a row unless it is there already, and deletes an empty one.
func putRow(b *bolt.Bucket, key, row []byte) error {
	old := b.Get(key)
	switch {
	case len(row) == 0 && old == nil:
		return nil
	case len(row) == 0:
		return b.Delete(key)
	}
	if row = wire.AppendCRC(row, key); bytes.Equal(row, old) {
		return nil
	}
	return b.Put(key, row)
}

// findBounds finds the new least and greatest values of classes that have lost the old ones,
// starting from these. All values must have been written.
func (s *Changes) findBounds(name string, row *Row) error {
	for i := range row.Cells {
		c := &row.Cells[i]
		if !c.stale {
			continue
		}
		least, ok1, err1 := Nearest(s.values, name, c.Class, c.Least, false, 0)
		greatest, ok2, err2 := Nearest(s.values, name, c.Class, c.Greatest, true, 0)
		if err1 != nil || err2 != nil || !ok1 || !ok2 {
			return &fault.Error{What: "values of " + NameOf(name)}
		}
		c.Least, c.Greatest, c.stale = least, greatest, false
	}
	return nil
}
