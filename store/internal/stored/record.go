package stored

import (
	"bytes"
	"encoding/binary"
	"strconv"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// Record is the log record of one training or untraining of a document.
type Record struct {
	Seq   uint64 // its position in the log
	Op    Op
	Keep  count.Ledger
	Class count.ClassID

	// The other changes to totals, so that totals as of any position can be computed without
	// reading a table.
	Fresh  uint64 // terms that no class had before (trained) or has now (untrained)
	Weight uint64 // Σ_t W of the document
	Moves  []byte // see EachMove; encoded, since few who read a record need it

	Doc    encoded.Document
	packed []byte // Doc in the log if it is packed there
	value  []byte // of a record packed by Pack, without its crc

	Epoch uint64 // of the database when it was written; not among the bytes
}

// EachMove calls f with each document frequency in the class before, and the number of the document's
// terms that had it.
func (rec *Record) EachMove(f func(before uint64, terms int64)) {
	r, last := wire.Reader{Data: rec.Moves}, uint64(0)
	for range r.Count() {
		last += r.Uvarint()
		f(last, int64(r.Uvarint()))
	}
}

// Op is the operation of a record on its document.
type Op uint8

// The operations of a record on its document.
const (
	OpTrain   Op = 1 // it is learned
	OpUntrain Op = 2 // it is forgotten
)

// opPacked is added to the operation of a record whose document is packed.
const opPacked = 4

// Pack has Encode, before which nothing but Seq may change, pack the document. That saves a seventh of the
// file, but each reader takes memory for it, so that it serves records that few read, and not those of the tail.
func (rec *Record) Pack() {
	head := rec.head(byte(rec.Op) | opPacked)
	rec.value = rec.Doc.AppendPacked(head)
	rec.packed = rec.value[len(head):]
}

// Size returns the number of bytes of the packed document.
func (rec *Record) Size() int { return len(rec.packed) }

// Encode returns the value of the record.
func (rec *Record) Encode() []byte {
	value := rec.value
	switch {
	case value != nil:
	case rec.packed != nil:
		value = append(rec.head(byte(rec.Op)|opPacked), rec.packed...)
	default:
		value = append(rec.head(byte(rec.Op)), rec.Doc.Raw...)
	}
	return wire.AppendCRC(value, SeqKey(rec.Seq))
}

// head returns what comes before the document, with space for that.
func (rec *Record) head(op byte) []byte {
	dst := append(make([]byte, 0, 1+3*binary.MaxVarintLen64+len(rec.Moves)+len(rec.Doc.Raw)+8), op|byte(rec.Keep)<<4)
	dst = binary.AppendUvarint(dst, uint64(rec.Class))
	dst = binary.AppendUvarint(dst, rec.Fresh)
	dst = binary.AppendUvarint(dst, rec.Weight)
	if len(rec.Moves) == 0 {
		return wire.AppendPairs(dst, nil)
	}
	return append(dst, rec.Moves...)
}

// DecodeRecord reads what Encode returns, in place unless the document is packed.
func DecodeRecord(key, value []byte) (Record, error) {
	var rec Record
	bad := func() (Record, error) { return rec, &fault.Error{What: "log record " + KeyName(key)} }
	if len(key) != 8 {
		return bad()
	}
	rec.Seq = binary.BigEndian.Uint64(key)
	r := wire.Reader{Data: wire.CheckCRC(value, key)}
	head := r.Byte()
	rec.Op, rec.Keep = Op(head&15&^opPacked), count.Ledger(head>>4)
	class := r.Uvarint()
	rec.Class = count.ClassID(class)
	rec.Fresh = r.Uvarint()
	rec.Weight = r.Uvarint()
	rec.Moves = r.SkipPairs()
	if r.Bad || (rec.Op != OpTrain && rec.Op != OpUntrain) || !rec.Keep.Valid() || uint64(rec.Class) != class {
		return bad()
	}
	parse := encoded.Parse
	if head&opPacked != 0 {
		rec.packed, parse = r.Data[r.At:], encoded.ParsePacked
	}
	doc, rest, err := parse(r.Data[r.At:])
	if err != nil || len(rest) != 0 {
		return bad()
	}
	rec.Doc = doc
	return rec, nil
}

// Damaged returns the error of a record that is damaged as err says.
func (rec *Record) Damaged(err error) error {
	return &fault.Error{What: "log record " + strconv.FormatUint(rec.Seq, 10), Err: err}
}

// Sign returns 1 for a record that adds its document, -1 for one that takes it away.
func (rec *Record) Sign() int64 {
	if rec.Op == OpUntrain {
		return -1
	}
	return 1
}

// Entry returns the ledger entry of the record's document. It must not depend on whether
// the record has been merged.
func (rec *Record) Entry() Entry {
	e := Entry{Keep: rec.Keep, Class: rec.Class}
	switch rec.Keep {
	case count.LedgerFull:
		e.Seq = rec.Seq
	case count.LedgerDigest:
		e.Time, e.Source, e.Digest = rec.Doc.Time, bytes.Clone(rec.Doc.Source), rec.Doc.Digest()
		e.Epoch = rec.Epoch
	}
	return e
}

// Without returns the encoding of the record without the terms for which gone returns
// true, which its document then counts as dropped, or nil if it has none of them.
func (rec *Record) Without(gone func(term []byte) bool) ([]byte, error) {
	left, err := rec.Doc.Split(func(term []byte, _ uint8) (bool, error) { return !gone(term), nil })
	if err != nil || left == &rec.Doc {
		return nil, err
	}
	// Fresh, Weight and Moves are used only while a record is in the tail.
	short := Record{Seq: rec.Seq, Op: rec.Op, Keep: rec.Keep, Class: rec.Class, Doc: *left}
	if rec.packed != nil {
		short.Pack()
	}
	return short.Encode(), nil
}

// Entry is the ledger entry of a document.
type Entry struct {
	Keep  count.Ledger
	Class count.ClassID

	Seq uint64 // count.LedgerFull: the log record that holds its counts

	Time   int64 // count.LedgerDigest: as learned
	Source []byte
	Digest uint64
	Epoch  uint64 // count.LedgerDigest: the database's when it was learned
}

// Encode returns the value of the entry of document id.
func (e *Entry) Encode(id count.DocID) []byte {
	b := append([]byte(nil), byte(e.Keep))
	b = binary.AppendUvarint(b, uint64(e.Class))
	if e.Keep == count.LedgerFull {
		b = binary.AppendUvarint(b, e.Seq)
	} else {
		b = binary.AppendVarint(b, e.Time)
		b = wire.AppendPrefixed(b, e.Source)
		b = binary.BigEndian.AppendUint64(b, e.Digest)
		b = wire.AppendAbove0(b, e.Epoch)
	}
	return wire.AppendCRC(b, id[:])
}

// DecodeEntry reads what Encode returns, in place. key is the id.
func DecodeEntry(key, value []byte) (Entry, error) {
	var e Entry
	r := wire.Reader{Data: wire.CheckCRC(value, key)}
	e.Keep = count.Ledger(r.Byte())
	class := r.Uvarint()
	e.Class = count.ClassID(class)
	r.Bad = r.Bad || uint64(e.Class) != class
	if e.Keep == count.LedgerFull {
		e.Seq = r.Uvarint()
	} else {
		e.Time = r.Varint()
		e.Source = r.Prefixed()
		if digest := r.Bytes(8); !r.Bad {
			e.Digest = binary.BigEndian.Uint64(digest)
		}
		e.Epoch = r.Above0()
		r.Bad = r.Bad || e.Epoch > LostEpoch || len(e.Source) > count.MaxNameBytes
	}
	if !r.Whole() || len(key) != len(count.DocID{}) || (e.Keep != count.LedgerFull && e.Keep != count.LedgerDigest) {
		return e, &fault.Error{What: "ledger entry " + KeyName(key)}
	}
	return e, nil
}
