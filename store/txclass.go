package store

import (
	"cmp"
	"encoding/binary"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/damage"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// EachClass calls f with each class, in order of id.
func (tx Tx) EachClass(f func(c *count.Class)) error {
	return tx.Bucket(bucketClass).ForEach(func(k, v []byte) error {
		name := string(wire.CheckCRC(v, k))
		if len(k) != 4 || count.CheckName(name) != nil {
			return &damage.Error{What: "class " + keyName(k)}
		}
		c := &count.Class{ID: count.ClassID(binary.BigEndian.Uint32(k)), Name: name}
		if total := tx.Bucket(bucketTotal).Get(k); total != nil {
			if err := decodeClass(total, k, c); err != nil {
				return err
			}
		}
		f(c)
		return nil
	})
}

// LastClass returns the greatest class id that was ever given.
func (tx Tx) LastClass() count.ClassID { return count.ClassID(tx.Bucket(bucketClass).Sequence()) }

// PutClassName gives a class its name.
func (tx Tx) PutClassName(id count.ClassID, name string) error {
	key, b := classKey(id), tx.Bucket(bucketClass)
	if uint64(id) > b.Sequence() {
		if err := b.SetSequence(uint64(id)); err != nil {
			return err
		}
	}
	return b.Put(key, wire.AppendCRC([]byte(name), key))
}

// PutTotals writes the totals of a class.
func (tx Tx) PutTotals(c *count.Class) error {
	key := classKey(c.ID)
	return tx.Bucket(bucketTotal).Put(key, encodeClass(c, key))
}

// DeleteClass deletes the name and the totals of a class.
func (tx Tx) DeleteClass(id count.ClassID) error {
	key := classKey(id)
	return cmp.Or(tx.Bucket(bucketClass).Delete(key), tx.Bucket(bucketTotal).Delete(key))
}

// PutTable writes a count table of the hashes up to bound, and the pad key behind it.
func (tx Tx) PutTable(bound uint64, data []byte) error {
	key, b := seqKey(bound), tx.Bucket(bucketTable)
	return cmp.Or(b.Put(key, data), b.Put(padKey(key), nil))
}
