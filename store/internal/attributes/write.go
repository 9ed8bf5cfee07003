package attributes

import (
	"bytes"
	"maps"
	"slices"

	bolt "go.etcd.io/bbolt"

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
		var data []byte
		if row := s.rows[name]; len(row.Cells) > 0 {
			data = row.Append(nil)
		}
		if err := putRow(s.attributes, []byte(name), data); err != nil {
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
