package layout

import (
	"cmp"
	"encoding/binary"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// EachClass calls f with each class, in order of id, with totals as of the corpus.
func (tx Tx) EachClass(f func(c *count.Class)) error {
	totals := tx.Bucket(stored.BucketTotal)
	return tx.Bucket(stored.BucketClass).ForEach(func(k, v []byte) error {
		name := string(wire.CheckCRC(v, k))
		if len(k) != 4 || count.CheckClassName(name) != nil {
			return &fault.Error{What: "class " + stored.KeyName(k)}
		}
		c := &count.Class{ID: count.ClassID(binary.BigEndian.Uint32(k)), Name: name}
		if total := totals.Get(k); total != nil {
			if err := stored.DecodeClass(total, k, c); err != nil {
				return err
			}
		}
		f(c)
		return nil
	})
}

// LastClass returns the greatest class id that was ever given.
func (tx Tx) LastClass() count.ClassID {
	return count.ClassID(tx.Bucket(stored.BucketClass).Sequence())
}

// PutClassName gives a class its name.
func (tx Tx) PutClassName(id count.ClassID, name string) error {
	key, b := stored.ClassKey(id), tx.Bucket(stored.BucketClass)
	if uint64(id) > b.Sequence() {
		if err := b.SetSequence(uint64(id)); err != nil {
			return err
		}
	}
	return b.Put(key, wire.AppendCRC([]byte(name), key))
}

// PutTotals writes the totals of a class.
func (tx Tx) PutTotals(c *count.Class) error {
	key := stored.ClassKey(c.ID)
	return tx.Bucket(stored.BucketTotal).Put(key, stored.EncodeClass(c, key))
}

// DeleteClass deletes the name and the totals of a class.
func (tx Tx) DeleteClass(id count.ClassID) error {
	key := stored.ClassKey(id)
	return cmp.Or(tx.Bucket(stored.BucketClass).Delete(key), tx.Bucket(stored.BucketTotal).Delete(key))
}

// putTable writes a count table of the hashes up to bound, and the pad key behind it.
func (tx Tx) putTable(bound uint64, data []byte) error {
	key, b := stored.SeqKey(bound), tx.Bucket(stored.BucketTable)
	return cmp.Or(b.Put(key, data), b.Put(stored.PadKey(key), nil))
}
