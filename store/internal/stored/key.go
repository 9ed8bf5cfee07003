// Package stored encodes the keys and values of a database file, except documents (package
// encoded), attributes (package attributes) and count tables (package table). FORMAT.md of
// package store describes the same bytes in words: change both together.
package stored

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strconv"

	"github.com/polya-classifier/polya/store/count"
)

// The buckets of a file.
var (
	BucketMeta   = []byte("meta")
	BucketClass  = []byte("class")  // id → name
	BucketTotal  = []byte("total")  // id → totals of the class
	BucketLog    = []byte("log")    // seq → record
	BucketTable  = []byte("table")  // highest hash → count table
	BucketLedger = []byte("ledger") // document id → entry
	BucketState  = []byte("state")  // values of the users of the store

	Buckets = [][]byte{BucketMeta, BucketClass, BucketTotal, BucketLog, BucketTable, BucketLedger, BucketState}

	// These are there with FlagAttributes.
	BucketAttribute = []byte("attribute") // name → counts of the attribute
	BucketValue     = []byte("value")     // name and value → documents that have it

	AttributeBuckets = [][]byte{BucketAttribute, BucketValue}

	// BucketFold has a sum of the log that earlier programs kept. It is ignored.
	BucketFold = []byte("fold")
)

// Keys of the meta bucket.
var (
	KeyHeader   = []byte("polya")    // the header
	KeyAnalyzer = []byte("analyzer") // the analyzer's spec
	KeyCorpus   = []byte("corpus")   // the corpus
	KeyPosition = []byte("position") // u64: of the last Delta of a log
	KeyStream   = []byte("stream")   // the log that the position is of, if the database follows it
	KeyRound    = []byte("round")    // the round of merging under way
	KeyLoaded   = []byte("loaded")   // the dumps and databases that were added
	KeyState    = []byte("state")    // digest of the state bucket
	KeyUnnamed  = []byte("unnamed")  // there until the file's name is surely on disk
)

// IsSetting reports whether the key is one of the meta bucket.
func IsSetting(key []byte) bool {
	known := [][]byte{KeyHeader, KeyAnalyzer, KeyCorpus, KeyPosition, KeyStream, KeyRound, KeyLoaded, KeyState, KeyUnnamed}
	return slices.ContainsFunc(known, func(k []byte) bool { return bytes.Equal(k, key) })
}

// SeqKey is the key of a log record, and of a count table by its bound.
func SeqKey(seq uint64) []byte { return binary.BigEndian.AppendUint64(nil, seq) }

// ClassKey is the key of a class.
func ClassKey(id count.ClassID) []byte { return binary.BigEndian.AppendUint32(nil, uint32(id)) }

// PadKey follows the key of a table. Its empty value keeps two tables out of
// one page, so that replacing one does not rewrite the other: bbolt splits no
// page of fewer than four keys.
func PadKey(bound []byte) []byte { return append(append([]byte(nil), bound...), 0) }

// DecodeSeq reads the first 8 bytes of a key. A shorter key, which only damage can make,
// sorts after all others, and DecodeRecord refuses it.
func DecodeSeq(key []byte) uint64 {
	if len(key) < 8 {
		return math.MaxUint64
	}
	return binary.BigEndian.Uint64(key)
}

// KeyName formats a key for a message: numbers in decimal, ids in hexadecimal.
func KeyName(key []byte) string {
	if len(key) == 8 {
		return strconv.FormatUint(binary.BigEndian.Uint64(key), 10)
	}
	return hex.EncodeToString(key[:min(len(key), 16)])
}
