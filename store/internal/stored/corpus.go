package stored

import (
	"encoding/binary"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// Corpus holds the totals over all classes, up to position Seq.
type Corpus struct {
	Merged     uint64 // tables hold every record up to here
	Seq        uint64 // totals hold every record up to here, seq ≥ merged
	Vocabulary uint64
	Epoch      uint64 // how often terms have been dropped
}

// LostEpoch is the epoch of a document learned in another database before terms were
// dropped there: it is unknown here which of its terms were dropped.
const LostEpoch = 1<<32 - 1

// Encode returns the value of the corpus totals.
func (c *Corpus) Encode() []byte {
	b := binary.AppendUvarint(nil, c.Merged)
	b = binary.AppendUvarint(b, c.Seq)
	b = binary.AppendUvarint(b, c.Vocabulary)
	return wire.AppendCRC(wire.AppendAbove0(b, c.Epoch), KeyCorpus)
}

// DecodeCorpus reads what Encode returns.
func DecodeCorpus(b []byte) (Corpus, error) {
	var c Corpus
	r := wire.Reader{Data: wire.CheckCRC(b, KeyCorpus)}
	c.Merged = r.Uvarint()
	c.Seq = r.Uvarint()
	c.Vocabulary = r.Uvarint()
	c.Epoch = r.Above0()
	if !r.Whole() || c.Seq < c.Merged || c.Epoch >= LostEpoch {
		return c, &fault.Error{What: "corpus totals"}
	}
	return c, nil
}

// EncodeClass returns the value under key of the totals of a class.
func EncodeClass(c *count.Class, key []byte) []byte {
	b := binary.AppendUvarint(nil, c.Docs)
	b = binary.AppendUvarint(b, c.Tokens)
	b = binary.AppendUvarint(b, c.Weight)
	b = binary.AppendUvarint(b, c.Terms)
	b = binary.AppendUvarint(b, c.Untracked)
	b = wire.AppendPairs(b, c.Lengths)
	b = wire.AppendPairs(b, c.Frequencies)
	if c.Dropped > 0 || c.DroppedWeight > 0 {
		b = binary.AppendUvarint(b, c.Dropped)
		b = binary.AppendUvarint(b, c.DroppedWeight)
	}
	return wire.AppendCRC(b, key)
}

// DecodeClass reads what EncodeClass returns into c, which has its name.
func DecodeClass(b, key []byte, c *count.Class) error {
	r := wire.Reader{Data: wire.CheckCRC(b, key)}
	c.Docs = r.Uvarint()
	c.Tokens = r.Uvarint()
	c.Weight = r.Uvarint()
	c.Terms = r.Uvarint()
	c.Untracked = r.Uvarint()
	c.Lengths = r.Pairs()
	c.Frequencies = r.Pairs()
	if !r.Bad && r.At < len(r.Data) {
		c.Dropped = r.Uvarint()
		c.DroppedWeight = r.Uvarint()
		r.Bad = r.Bad || c.Dropped == 0 && c.DroppedWeight == 0
	}
	if !r.Whole() {
		return &fault.Error{What: "totals of class " + c.Name}
	}
	return nil
}

// Round is a round of merging. It brings every table up to the position where it started,
// a few tables in each training.
type Round struct {
	Start uint64 // the log's last record when the round began
	Next  uint64 // tables of hashes above this must still be merged
}

// Encode returns the value of the round.
func (r *Round) Encode() []byte {
	b := binary.BigEndian.AppendUint64(nil, r.Start)
	b = binary.BigEndian.AppendUint64(b, r.Next)
	return wire.AppendCRC(b, KeyRound)
}

// DecodeRound reads what Encode returns.
func DecodeRound(b []byte) (Round, error) {
	if b = wire.CheckCRC(b, KeyRound); len(b) != 16 {
		return Round{}, &fault.Error{What: "merge position"}
	}
	return Round{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}, nil
}
