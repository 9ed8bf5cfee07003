package attributes

import (
	"bytes"
	"maps"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/wire"
)

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
		if len(row.Cells) == 0 {
			if err := putRow(s.attributes, []byte(name), nil); err != nil {
				return err
			}
			continue
		}
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
