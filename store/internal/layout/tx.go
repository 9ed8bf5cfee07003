// Package layout reads and writes a database file within a transaction: the decoded
// content of each bucket, and all count tables as one directory.
package layout

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// Tx is a transaction of a database file; its methods read and write the decoded content
// of buckets. Errors are *fault.Error, or errors of bbolt.
type Tx struct{ *bolt.Tx }

func (tx Tx) meta() *bolt.Bucket { return tx.Bucket(stored.BucketMeta) }

// Header returns the header.
func (tx Tx) Header() (stored.Header, error) {
	return stored.DecodeHeader(tx.meta().Get(stored.KeyHeader))
}

// SetFlag sets a feature flag: a program that does not know the feature refuses the file.
func (tx Tx) SetFlag(flag uint32) error {
	h, err := tx.Header()
	if err != nil || h.Flags&flag != 0 {
		return err
	}
	h.Flags |= flag
	return tx.meta().Put(stored.KeyHeader, h.Encode())
}

// Analyzer returns the analyzer's spec, nil if it is damaged.
func (tx Tx) Analyzer() []byte {
	return wire.CheckCRC(tx.meta().Get(stored.KeyAnalyzer), stored.KeyAnalyzer)
}

// Create makes the buckets and the settings of an empty database.
func (tx Tx) Create(h *stored.Header, analyzer string) error {
	for _, name := range h.Buckets() {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	var empty table.Builder
	return cmp.Or(
		tx.meta().Put(stored.KeyHeader, h.Encode()),
		tx.meta().Put(stored.KeyAnalyzer, wire.AppendCRC([]byte(analyzer), stored.KeyAnalyzer)),
		tx.PutCorpus(stored.Corpus{}),
		tx.putTable(math.MaxUint64, empty.Finish(0)),
	)
}

// Corpus returns the corpus totals.
func (tx Tx) Corpus() (stored.Corpus, error) {
	return stored.DecodeCorpus(tx.meta().Get(stored.KeyCorpus))
}

// PutCorpus writes the corpus totals.
func (tx Tx) PutCorpus(c stored.Corpus) error { return tx.meta().Put(stored.KeyCorpus, c.Encode()) }

// Position returns the position of an ordered log that somebody else keeps, up to which
// it was applied; 0 if there is none.
func (tx Tx) Position() (uint64, error) {
	v := tx.meta().Get(stored.KeyPosition)
	if v == nil {
		return 0, nil
	}
	if v = wire.CheckCRC(v, stored.KeyPosition); len(v) != 8 {
		return 0, &fault.Error{What: "position"}
	}
	return stored.DecodeSeq(v), nil
}

// PutPosition writes the position.
func (tx Tx) PutPosition(position uint64) error {
	return tx.meta().Put(stored.KeyPosition, wire.AppendCRC(stored.SeqKey(position), stored.KeyPosition))
}

// Stream is store.Stream.
type Stream struct {
	Name    string // 1 to 255 bytes
	Created time.Time
}

// String names the log and says when it was made.
func (s Stream) String() string {
	return fmt.Sprintf("%q made on %s", s.Name, s.Created.UTC().Format(time.RFC3339Nano))
}

// Stream returns the log that the database follows, nil if it follows none.
func (tx Tx) Stream() (*Stream, error) {
	v := tx.meta().Get(stored.KeyStream)
	if v == nil {
		return nil, nil
	}
	if v = wire.CheckCRC(v, stored.KeyStream); len(v) <= 8 {
		return nil, &fault.Error{What: "name of the log that is followed"}
	}
	return &Stream{string(v[8:]), time.Unix(0, int64(stored.DecodeSeq(v))).UTC()}, nil
}

// PutStream writes the log that the database follows, nil for none.
func (tx Tx) PutStream(s *Stream) error {
	if s == nil {
		return tx.meta().Delete(stored.KeyStream)
	}
	v := append(stored.SeqKey(uint64(s.Created.UnixNano())), s.Name...)
	return cmp.Or(tx.meta().Put(stored.KeyStream, wire.AppendCRC(v, stored.KeyStream)), tx.SetFlag(stored.FlagFollows))
}

// Round returns the round of merging under way, nil if there is none.
func (tx Tx) Round() (*stored.Round, error) {
	v := tx.meta().Get(stored.KeyRound)
	if v == nil {
		return nil, nil
	}
	r, err := stored.DecodeRound(v)
	return &r, err
}

// PutRound writes the round of merging under way, nil for none.
func (tx Tx) PutRound(r *stored.Round) error {
	if r == nil {
		return tx.meta().Delete(stored.KeyRound)
	}
	return tx.meta().Put(stored.KeyRound, r.Encode())
}

// Origin is where added counts came from: the hash of a dump, or of the key of a database.
type Origin [16]byte

// Loaded returns where counts came from, the oldest first.
func (tx Tx) Loaded() (list []Origin, err error) {
	v := tx.meta().Get(stored.KeyLoaded)
	if v == nil {
		return nil, nil
	}
	data := wire.CheckCRC(v, stored.KeyLoaded)
	if len(data) == 0 || len(data)%len(Origin{}) != 0 {
		return nil, &fault.Error{What: "list of loaded dumps"}
	}
	for part := range slices.Chunk(bytes.Clone(data), len(Origin{})) {
		list = append(list, Origin(part))
	}
	return list, nil
}

// PutLoaded writes where counts came from.
func (tx Tx) PutLoaded(list []Origin) error {
	var all []byte
	for _, o := range list {
		all = append(all, o[:]...)
	}
	return tx.meta().Put(stored.KeyLoaded, wire.AppendCRC(all, stored.KeyLoaded))
}

// Unnamed returns whether the name of the file may not be on disk.
func (tx Tx) Unnamed() bool { return tx.meta().Get(stored.KeyUnnamed) != nil }

// SetUnnamed writes whether the name of the file may not be on disk.
func (tx Tx) SetUnnamed(unnamed bool) error {
	if !unnamed {
		return tx.meta().Delete(stored.KeyUnnamed)
	}
	return tx.meta().Put(stored.KeyUnnamed, wire.AppendCRC(nil, stored.KeyUnnamed))
}

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
