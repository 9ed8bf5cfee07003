package stored

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// Fold is the sum of the records above From up to To, the beginning of the tail. It can be
// computed from them at any time, and is useful only while all tables hold the log up to From.
type Fold struct {
	From, To   uint64
	Bytes      uint64 // of the documents of these records
	IDs        []byte // of the same, concatenated
	Vocabulary uint64 // as of To, like the totals
	classes    []byte // the totals of all classes
	Rows       []byte // a count table of rows.Changes; empty if there would be too many of them
}

// foldKey precedes the head of a fold in its checksum: it is not a key of any bucket, so
// that the value is not mistaken for another in a damaged file.
var foldKey = []byte("fold\x00tail")

// SetClasses sets the totals of all classes, in any order.
func (f *Fold) SetClasses(classes []*count.Class) {
	f.classes = nil
	for _, c := range slices.SortedFunc(slices.Values(classes), func(a, b *count.Class) int { return cmp.Compare(a.ID, b.ID) }) {
		key := ClassKey(c.ID)
		value := EncodeClass(c, key)
		if !bytes.Equal(value, EncodeClass(&count.Class{ID: c.ID}, key)) { // a class may be younger than the fold
			f.classes = wire.AppendPrefixed(append(f.classes, key...), value)
		}
	}
}

// Totals returns a function that returns the value of the totals of each class, nil for a
// class without. It must be called in ascending order of keys.
func (f *Fold) Totals() func(key []byte) []byte {
	r := wire.Reader{Data: f.classes}
	return func(key []byte) (value []byte) {
		for ahead := r; !ahead.Bad && ahead.At < len(ahead.Data); r = ahead {
			order := bytes.Compare(ahead.Bytes(4), key)
			if order > 0 {
				return nil
			}
			if value = ahead.Prefixed(); order == 0 {
				return value
			}
		}
		return nil
	}
}

// Encode returns the value of the fold.
func (f *Fold) Encode() []byte {
	b := make([]byte, 4, len(f.IDs)+len(f.classes)+len(f.Rows)+64)
	for _, n := range []uint64{f.From, f.To - f.From, f.Bytes, f.Vocabulary} {
		b = binary.AppendUvarint(b, n)
	}
	b = append(append(b, f.IDs...), f.classes...)
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	return append(wire.AppendCRC(b, foldKey), f.Rows...)
}

// DecodeFold reads what Encode returns, in place. ok is false if the fold is damaged;
// damage to the rows is not detected.
func DecodeFold(b []byte) (f Fold, ok bool) {
	if len(b) < 4 {
		return f, false
	}
	end := uint64(binary.LittleEndian.Uint32(b)) + 4
	if end > uint64(len(b)) {
		return f, false
	}
	r := wire.Reader{Data: wire.CheckCRC(b[:end], foldKey)}
	r.Bytes(4)
	f.From = r.Uvarint()
	n := r.Uvarint()
	f.To, f.Bytes, f.Vocabulary = f.From+n, r.Uvarint(), r.Uvarint()
	if size := len(count.DocID{}); r.Bad || n > uint64(len(b)/size) {
		return f, false
	} else if f.IDs = r.Bytes(int(n) * size); r.Bad {
		return f, false
	}
	f.classes, f.Rows = r.Data[r.At:], b[end:]
	return f, true
}

// Last returns the position of the last record of a document up to seq, 0 if there is none.
func (f *Fold) Last(id count.DocID, seq uint64) uint64 {
	for n := min(seq, f.To); n > f.From; n-- {
		if at := int(n-f.From-1) * len(id); count.DocID(f.IDs[at:at+len(id)]) == id {
			return n
		}
	}
	return 0
}
