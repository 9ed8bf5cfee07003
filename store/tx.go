package store

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/damage"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// Tx is a transaction of a database file, whose buckets it reads and writes as what they
// hold. Errors are *damage.Error, or those of bbolt.
type Tx struct{ *bolt.Tx }

func (tx Tx) meta() *bolt.Bucket { return tx.Bucket(bucketMeta) }

// Header returns the header.
func (tx Tx) Header() (header, error) { return decodeHeader(tx.meta().Get(keyHeader)) }

// SetFlag sets a feature flag, by which a program that does not know the feature
// refuses the file.
func (tx Tx) SetFlag(flag uint32) error {
	h, err := tx.Header()
	if err != nil || h.flags&flag != 0 {
		return err
	}
	h.flags |= flag
	return tx.meta().Put(keyHeader, h.encode())
}

// Analyzer returns the analyzer's spec, nil if it is damaged.
func (tx Tx) Analyzer() []byte { return wire.CheckCRC(tx.meta().Get(keyAnalyzer), keyAnalyzer) }

// Create makes the buckets and the settings of an empty database.
func (tx Tx) Create(h *header, analyzer string) error {
	for _, name := range h.buckets() {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	var empty table.Builder
	return cmp.Or(
		tx.meta().Put(keyHeader, h.encode()),
		tx.meta().Put(keyAnalyzer, wire.AppendCRC([]byte(analyzer), keyAnalyzer)),
		tx.PutCorpus(corpus{}),
		tx.PutTable(math.MaxUint64, empty.Finish(0)),
	)
}

// Corpus returns the corpus totals.
func (tx Tx) Corpus() (corpus, error) { return decodeCorpus(tx.meta().Get(keyCorpus)) }

// PutCorpus writes the corpus totals.
func (tx Tx) PutCorpus(c corpus) error { return tx.meta().Put(keyCorpus, c.encode()) }

// Position returns the position of an ordered log that somebody else keeps, up to which
// it was applied; 0 if there is none.
func (tx Tx) Position() (uint64, error) {
	v := tx.meta().Get(keyPosition)
	if v == nil {
		return 0, nil
	}
	if v = wire.CheckCRC(v, keyPosition); len(v) != 8 {
		return 0, &damage.Error{What: "position"}
	}
	return decodeSeq(v), nil
}

// PutPosition writes the position.
func (tx Tx) PutPosition(position uint64) error {
	return tx.meta().Put(keyPosition, wire.AppendCRC(seqKey(position), keyPosition))
}

// Round returns the round of merging under way, nil if there is none.
func (tx Tx) Round() (*round, error) {
	v := tx.meta().Get(keyRound)
	if v == nil {
		return nil, nil
	}
	r, err := decodeRound(v)
	return &r, err
}

// PutRound writes the round of merging under way, nil for none.
func (tx Tx) PutRound(r *round) error {
	if r == nil {
		return tx.meta().Delete(keyRound)
	}
	return tx.meta().Put(keyRound, r.encode())
}

// origin says where counts came from that were added: the hash of a dump, or of the key
// of a database.
type origin [16]byte

// Loaded returns where counts came from, the oldest first.
func (tx Tx) Loaded() (list []origin, err error) {
	v := tx.meta().Get(keyLoaded)
	if v == nil {
		return nil, nil
	}
	data := wire.CheckCRC(v, keyLoaded)
	if len(data) == 0 || len(data)%len(origin{}) != 0 {
		return nil, &damage.Error{What: "list of loaded dumps"}
	}
	for part := range slices.Chunk(bytes.Clone(data), len(origin{})) {
		list = append(list, origin(part))
	}
	return list, nil
}

// PutLoaded writes where counts came from.
func (tx Tx) PutLoaded(list []origin) error {
	var all []byte
	for _, o := range list {
		all = append(all, o[:]...)
	}
	return tx.meta().Put(keyLoaded, wire.AppendCRC(all, keyLoaded))
}

// Unnamed returns whether it is not sure that the name of the file is on the disk.
func (tx Tx) Unnamed() bool { return tx.meta().Get(keyUnnamed) != nil }

// SetUnnamed writes whether it is not sure that the name of the file is on the disk.
func (tx Tx) SetUnnamed(unnamed bool) error {
	if !unnamed {
		return tx.meta().Delete(keyUnnamed)
	}
	return tx.meta().Put(keyUnnamed, wire.AppendCRC(nil, keyUnnamed))
}
