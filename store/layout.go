package store

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// This file alone knows the keys and values of the file, except for the
// documents (document.go), the attributes (attributerow.go) and the count tables
// (internal/table); bbolt's own pages are checked by internal/pages. FORMAT.md describes
// the same bytes in words: change both together.

const (
	// FormatVersion is the version of the file format that this program reads and
	// writes. The ledger of versions is in FORMAT.md.
	FormatVersion = 2

	// flagPruned says that terms may have been dropped: that class totals,
	// documents, rows, digests and the corpus may have a part for them.
	flagPruned = 1

	// flagAttributes says that documents may have attributes: that there are the
	// buckets of what is counted of them.
	flagAttributes = 2

	// knownFlags are the feature flags that this program understands. A file
	// with any other is refused: its counts could not be kept right.
	knownFlags = flagPruned | flagAttributes
)

// Buckets.
var (
	bucketMeta   = []byte("meta")
	bucketClass  = []byte("class")  // id → name
	bucketTotal  = []byte("total")  // id → totals of the class
	bucketLog    = []byte("log")    // seq → record
	bucketTable  = []byte("table")  // highest hash → count table
	bucketLedger = []byte("ledger") // document id → entry
	bucketState  = []byte("state")  // what the users of the store keep in it

	buckets = [][]byte{bucketMeta, bucketClass, bucketTotal, bucketLog, bucketTable, bucketLedger, bucketState}

	// These are there with flagAttributes.
	bucketAttribute = []byte("attribute") // name → what is counted of the attribute
	bucketValue     = []byte("value")     // name and value → documents that have it

	attributeBuckets = [][]byte{bucketAttribute, bucketValue}
)

// Keys of the meta bucket.
var (
	keyHeader   = []byte("polya")    // the header
	keyAnalyzer = []byte("analyzer") // the analyzer's spec
	keyCorpus   = []byte("corpus")   // the corpus
	keyPosition = []byte("position") // u64: of the last ApplyAt
	keyRound    = []byte("round")    // the round of merging under way
	keyLoaded   = []byte("loaded")   // the dumps and databases that were added
	keyState    = []byte("state")    // digest of the state bucket
	keyUnnamed  = []byte("unnamed")  // there until the file's name is surely on the disk
)

// header is the first thing read of a file.
type header struct {
	version uint16
	flags   uint32
	key     table.Key
	ledger  count.Ledger
}

const headerSize = 2 + 4 + 16 + 1 + 4

func (h *header) encode() []byte {
	b := binary.BigEndian.AppendUint16(nil, h.version)
	b = binary.BigEndian.AppendUint32(b, h.flags)
	b = append(b, h.key[:]...)
	return wire.AppendCRC(append(b, byte(h.ledger)), keyHeader)
}

// decodeHeader refuses what a newer polya wrote before it looks at the rest.
func decodeHeader(b []byte) (header, error) {
	var h header
	if len(b) < 6 {
		return h, ErrNotPolya
	}
	h.version = binary.BigEndian.Uint16(b)
	h.flags = binary.BigEndian.Uint32(b[2:])
	if h.version != FormatVersion || h.flags&^knownFlags != 0 {
		return h, &FormatError{h.version, h.flags &^ knownFlags}
	}
	h.ledger = count.Ledger(b[min(22, len(b)-1)])
	if len(b) != headerSize || wire.CheckCRC(b, keyHeader) == nil || !h.ledger.Valid() {
		return h, &CorruptError{What: "header"}
	}
	copy(h.key[:], b[6:])
	return h, nil
}

// buckets returns those that the file has.
func (h *header) buckets() [][]byte {
	if h.flags&flagAttributes == 0 {
		return buckets
	}
	return slices.Concat(buckets, attributeBuckets)
}

// A total is what the total bucket holds of a class, and the corpus what meta
// holds of all of them: sums over all documents up to position seq.
type corpus struct {
	merged     uint64 // tables hold every record up to here
	seq        uint64 // totals hold every record up to here, seq ≥ merged
	vocabulary uint64
	epoch      uint64 // how often terms have been dropped
}

// lostEpoch is that of a document learned in another database before terms were
// dropped there: which of its own are among them is not known here.
const lostEpoch = 1<<32 - 1

func (c *corpus) encode() []byte {
	b := binary.AppendUvarint(nil, c.merged)
	b = binary.AppendUvarint(b, c.seq)
	b = binary.AppendUvarint(b, c.vocabulary)
	return wire.AppendCRC(wire.AppendAbove0(b, c.epoch), keyCorpus)
}

func decodeCorpus(b []byte) (corpus, error) {
	var c corpus
	r := wire.Reader{Data: wire.CheckCRC(b, keyCorpus)}
	c.merged = r.Uvarint()
	c.seq = r.Uvarint()
	c.vocabulary = r.Uvarint()
	c.epoch = r.Above0()
	if !r.Whole() || c.seq < c.merged || c.epoch >= lostEpoch {
		return c, &CorruptError{What: "corpus totals"}
	}
	return c, nil
}

func encodeClass(c *count.Class, key []byte) []byte {
	b := binary.AppendUvarint(nil, c.Docs)
	b = binary.AppendUvarint(b, c.Tokens)
	b = binary.AppendUvarint(b, c.Weight)
	b = binary.AppendUvarint(b, c.Terms)
	b = binary.AppendUvarint(b, c.Loose)
	b = wire.AppendPairs(b, c.Lengths)
	b = wire.AppendPairs(b, c.Frequencies)
	if c.Dropped > 0 || c.DroppedWeight > 0 {
		b = binary.AppendUvarint(b, c.Dropped)
		b = binary.AppendUvarint(b, c.DroppedWeight)
	}
	return wire.AppendCRC(b, key)
}

func decodeClass(b, key []byte, c *count.Class) error {
	r := wire.Reader{Data: wire.CheckCRC(b, key)}
	c.Docs = r.Uvarint()
	c.Tokens = r.Uvarint()
	c.Weight = r.Uvarint()
	c.Terms = r.Uvarint()
	c.Loose = r.Uvarint()
	c.Lengths = r.Pairs()
	c.Frequencies = r.Pairs()
	if !r.Bad && r.At < len(r.Data) {
		c.Dropped = r.Uvarint()
		c.DroppedWeight = r.Uvarint()
		r.Bad = r.Bad || c.Dropped == 0 && c.DroppedWeight == 0
	}
	if !r.Whole() {
		return &CorruptError{What: "totals of class " + c.Name}
	}
	return nil
}

// A record is what one training or untraining of a document writes to the log.
type record struct {
	seq   uint64
	op    op
	keep  count.Ledger
	class count.ClassID

	// What the document changes beside its own counts, so that totals as of
	// any position are had without looking at a table.
	fresh  uint64       // terms that no class had before (trained) or has now (untrained)
	weight uint64       // Σ_t W of the document
	moves  []count.Pair // N: document frequency in the class before; Count: its terms with that
	read   []byte       // moves as they were read, in place of them

	doc encoded.Document

	epoch uint64 // of the database when it was written; not among the bytes
}

// eachMove calls f with each of the moves: from and to which document
// frequency, and how many terms.
func (rec *record) eachMove(f func(before, after uint64, terms int64)) {
	step := uint64(rec.sign()) // wraps for -1
	for _, m := range rec.moves {
		f(m.N, m.N+step, int64(m.Count))
	}
	r := wire.Reader{Data: rec.read}
	last := uint64(0)
	for r.At < len(r.Data) {
		last += r.Uvarint()
		f(last, last+step, int64(r.Uvarint()))
	}
}

// op is what a record does with its document.
type op uint8

const (
	opTrain   op = 1
	opUntrain op = 2
)

// encode returns the bytes of a record.
func (rec *record) encode() []byte {
	dst := []byte{byte(rec.op) | byte(rec.keep)<<4}
	dst = binary.AppendUvarint(dst, uint64(rec.class))
	dst = binary.AppendUvarint(dst, rec.fresh)
	dst = binary.AppendUvarint(dst, rec.weight)
	dst = wire.AppendPairs(dst, rec.moves)
	return wire.AppendCRC(append(dst, rec.doc.Raw...), seqKey(rec.seq))
}

// decodeRecord reads a record in place: rec.doc points into value.
func decodeRecord(key, value []byte) (record, error) {
	var rec record
	bad := func() (record, error) { return rec, &CorruptError{What: "log record " + keyName(key)} }
	if len(key) != 8 {
		return bad()
	}
	rec.seq = binary.BigEndian.Uint64(key)
	r := wire.Reader{Data: wire.CheckCRC(value, key)}
	head := r.Bytes(1)
	if r.Bad {
		return bad()
	}
	rec.op, rec.keep = op(head[0]&15), count.Ledger(head[0]>>4)
	class := r.Uvarint()
	rec.class = count.ClassID(class)
	rec.fresh = r.Uvarint()
	rec.weight = r.Uvarint()
	rec.read = r.SkipPairs()
	if r.Bad || (rec.op != opTrain && rec.op != opUntrain) || !rec.keep.Valid() || uint64(rec.class) != class {
		return bad()
	}
	doc, rest, err := encoded.Parse(r.Data[r.At:])
	if err != nil || len(rest) != 0 {
		return bad()
	}
	rec.doc = doc
	return rec, nil
}

// An entry is what the ledger bucket says of a document.
type entry struct {
	keep  count.Ledger
	class count.ClassID

	seq uint64 // LedgerFull: the log record that holds its counts

	time   int64 // LedgerDigest: as learned
	source []byte
	digest uint64
	epoch  uint64 // LedgerDigest: the database's when it was learned
}

func (e *entry) encode(id count.DocID) []byte {
	b := append([]byte(nil), byte(e.keep))
	b = binary.AppendUvarint(b, uint64(e.class))
	if e.keep == count.LedgerFull {
		b = binary.AppendUvarint(b, e.seq)
	} else {
		b = binary.AppendVarint(b, e.time)
		b = wire.AppendPrefixed(b, e.source)
		b = binary.BigEndian.AppendUint64(b, e.digest)
		b = wire.AppendAbove0(b, e.epoch)
	}
	return wire.AppendCRC(b, id[:])
}

func decodeEntry(key, value []byte) (entry, error) {
	var e entry
	r := wire.Reader{Data: wire.CheckCRC(value, key)}
	head := r.Bytes(1)
	if r.Bad || len(key) != len(count.DocID{}) {
		return e, &CorruptError{What: "ledger entry " + keyName(key)}
	}
	e.keep = count.Ledger(head[0])
	class := r.Uvarint()
	e.class = count.ClassID(class)
	r.Bad = r.Bad || uint64(e.class) != class
	if e.keep == count.LedgerFull {
		e.seq = r.Uvarint()
	} else {
		e.time = r.Varint()
		n := r.Uvarint()
		r.Bad = r.Bad || n > count.MaxNameBytes
		e.source = r.Bytes(int(min(n, count.MaxNameBytes)))
		if digest := r.Bytes(8); !r.Bad {
			e.digest = binary.BigEndian.Uint64(digest)
		}
		e.epoch = r.Above0()
		r.Bad = r.Bad || e.epoch > lostEpoch
	}
	if !r.Whole() || (e.keep != count.LedgerFull && e.keep != count.LedgerDigest) {
		return e, &CorruptError{What: "ledger entry " + keyName(key)}
	}
	return e, nil
}

// A round of merging brings every table up to the position where it started,
// a few tables in each training.
type round struct {
	start uint64 // the log's last record when the round began
	next  uint64 // tables of hashes above this are still to be merged
}

func (r *round) encode() []byte {
	b := binary.BigEndian.AppendUint64(nil, r.start)
	b = binary.BigEndian.AppendUint64(b, r.next)
	return wire.AppendCRC(b, keyRound)
}

func decodeRound(b []byte) (round, error) {
	if b = wire.CheckCRC(b, keyRound); len(b) != 16 {
		return round{}, &CorruptError{What: "merge position"}
	}
	return round{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}, nil
}

func seqKey(seq uint64) []byte { return binary.BigEndian.AppendUint64(nil, seq) }

func classKey(id count.ClassID) []byte { return binary.BigEndian.AppendUint32(nil, uint32(id)) }

// padKey follows the key of a table. Its empty value keeps two tables out of
// one page, so that replacing one does not rewrite the other: bbolt splits no
// page of fewer than four keys.
func padKey(bound []byte) []byte { return append(append([]byte(nil), bound...), 0) }

// decodeSeq reads the first 8 bytes of a key. One that is shorter, which only
// damage can make, comes after all others, and decodeRecord refuses it.
func decodeSeq(key []byte) uint64 {
	if len(key) < 8 {
		return math.MaxUint64
	}
	return binary.BigEndian.Uint64(key)
}
