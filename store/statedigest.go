package store

import (
	"encoding/binary"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// This file keeps a digest of the state bucket beside the corpus, on another page: a
// page of the bucket that a disk has not written is one of an earlier time, whose
// values and checksums are all sound.

// hashState is what one value adds to the digest, which is the sum of them all: it
// does not depend on their order, and changes with one of them without a look at the
// others.
func hashState(hash *table.Key, key, value []byte) uint64 {
	b := binary.AppendUvarint(nil, uint64(len(key)))
	return hash.Hash(append(append(b, key...), value...))
}

// sumState is the digest of the bucket as it is.
func sumState(tx *bolt.Tx, hash *table.Key) (sum uint64) {
	_ = tx.Bucket(bucketState).ForEach(func(k, v []byte) error {
		sum += hashState(hash, k, v)
		return nil
	})
	return sum
}

// stateDigest reads the digest. There is none in a file whose state was never changed
// since digests are kept.
func stateDigest(v []byte) (sum uint64, found bool, err error) {
	if v == nil {
		return 0, false, nil
	}
	if v = wire.CheckCRC(v, keyState); len(v) != 8 {
		return 0, true, &CorruptError{What: "digest of the state"}
	}
	return binary.BigEndian.Uint64(v), true, nil
}

// putStateDigest keeps sum as the digest.
func putStateDigest(tx *bolt.Tx, sum uint64) error {
	return boltError(tx.Bucket(bucketMeta).Put(keyState, wire.AppendCRC(seqKey(sum), keyState)))
}

// checkState compares the digest with the bucket.
func checkState(tx *bolt.Tx) error {
	h, err := decodeHeader(tx.Bucket(bucketMeta).Get(keyHeader))
	if err != nil {
		return err
	}
	sum, found, err := stateDigest(tx.Bucket(bucketMeta).Get(keyState))
	if err == nil && found && sum != sumState(tx, &h.key) {
		err = &CorruptError{What: "state", Err: fmt.Errorf("some of it is not what was kept last")}
	}
	return err
}
