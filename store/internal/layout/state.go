package layout

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// This file stores a digest of the state bucket beside the corpus, on another page: if a
// disk has not written a page of the bucket, an older page with sound values and
// checksums is in its place.

// hashState returns the contribution of one value to the digest, which is the sum of all
// contributions: it does not depend on their order, and can be updated for one value
// without reading the others.
func hashState(hash *table.Key, key, value []byte) uint64 {
	b := binary.AppendUvarint(nil, uint64(len(key)))
	return hash.Hash(append(append(b, key...), value...))
}

// SumState returns the digest of the bucket as it is.
func (tx Tx) SumState(hash *table.Key) (sum uint64) {
	_ = tx.Bucket(stored.BucketState).ForEach(func(k, v []byte) error {
		sum += hashState(hash, k, v)
		return nil
	})
	return sum
}

// StateDigest reads a digest. A file whose state was last changed before digests were
// introduced has none.
func StateDigest(v []byte) (sum uint64, found bool, err error) {
	if v == nil {
		return 0, false, nil
	}
	if v = wire.CheckCRC(v, stored.KeyState); len(v) != 8 {
		return 0, true, &fault.Error{What: "digest of the state"}
	}
	return binary.BigEndian.Uint64(v), true, nil
}

// PutStateDigest writes sum as the digest.
func (tx Tx) PutStateDigest(sum uint64) error {
	return tx.meta().Put(stored.KeyState, wire.AppendCRC(stored.SeqKey(sum), stored.KeyState))
}

// CheckState compares the digest with the bucket.
func (tx Tx) CheckState() error {
	h, err := tx.Header()
	if err != nil {
		return err
	}
	sum, found, err := StateDigest(tx.meta().Get(stored.KeyState))
	if err == nil && found && sum != tx.SumState(&h.Key) {
		err = &fault.Error{What: "state", Err: errors.New("some of it is not what was kept last")}
	}
	return err
}

// State returns the value under key, in place, nil if there is none or it is damaged.
func (tx Tx) State(key string) []byte {
	return wire.CheckCRC(tx.Bucket(stored.BucketState).Get([]byte(key)), []byte(key))
}

// PutState changes the state, where nil removes a value, and its digest, made with hash.
func (tx Tx) PutState(hash *table.Key, values map[string][]byte) error {
	if len(values) == 0 {
		return nil
	}
	b := tx.Bucket(stored.BucketState)
	sum, found, err := StateDigest(tx.meta().Get(stored.KeyState))
	if err != nil {
		return err
	}
	if !found {
		sum = tx.SumState(hash)
	}
	for name, value := range values {
		key := []byte(name)
		if old := b.Get(key); old != nil {
			sum -= hashState(hash, key, old)
		}
		if value == nil {
			err = b.Delete(key)
		} else {
			value = wire.AppendCRC(bytes.Clone(value), key)
			sum += hashState(hash, key, value)
			err = b.Put(key, value)
		}
		if err != nil {
			return err
		}
	}
	return tx.PutStateDigest(sum)
}
