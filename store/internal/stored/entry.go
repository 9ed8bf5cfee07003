package stored

import (
	"encoding/binary"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/wire"
)

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
