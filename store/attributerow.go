package store

import (
	"cmp"
	"encoding/binary"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/wire"
	"math"
	"slices"
)

// This file alone knows the bytes of attributes: in documents, as the rows of the
// buckets, and in the sums of a Delta. FORMAT.md describes them in words: change
// both together.

// listed says whether documents are counted by value, each of which is a row.
func isListed(k count.Kind) bool { return k == count.Category || k == count.Uniform }

// attributeRow is what is counted of an attribute. The zero value is that of one
// that no document has, which has no row.
type attributeRow struct {
	kind   count.Kind
	values uint64          // distinct ones, of a kind that is listed
	cells  []attributeCell // by class id, in ascending order
}

type attributeCell struct {
	class uint32
	count.AttributeCell
	stale bool // the values are no longer sure to reach to Least and Greatest
}

// append appends the row to dst.
func (r *attributeRow) append(dst []byte) []byte {
	dst = binary.AppendUvarint(append(dst, byte(r.kind)), r.values)
	next := uint64(0)
	for i := range r.cells {
		c := &r.cells[i]
		dst = binary.AppendUvarint(dst, uint64(c.class)-next)
		next = uint64(c.class) + 1
		dst = binary.AppendUvarint(dst, c.N)
		switch r.kind {
		case count.YesNo:
			dst = binary.AppendUvarint(dst, c.Yes)
		case count.Real:
			dst = wire.AppendExact(wire.AppendExact(dst, c.Sum), c.Squares)
		case count.Uniform:
			dst = wire.AppendNumber(wire.AppendNumber(dst, c.Least), c.Greatest)
		}
	}
	return dst
}

// decode reads what append wrote. It checks each number, but not whether some
// documents can give the sums, as check does.
func (r *attributeRow) decode(data []byte) error {
	in := wire.Reader{Data: data}
	*r = attributeRow{kind: count.Kind(in.Byte()), values: in.Uvarint(), cells: r.cells[:0]}
	if in.Bad || r.kind < count.Category || r.kind > count.Uniform || isListed(r.kind) != (r.values > 0) {
		return count.ErrInvalid
	}
	next := uint64(0)
	for in.At < len(data) {
		c := attributeCell{}
		c.class, next = readClass(&in, next)
		c.N = in.Uvarint()
		switch r.kind {
		case count.YesNo:
			c.Yes = in.Uvarint()
		case count.Real:
			c.Sum, c.Squares = in.Exact(), in.Exact()
		case count.Uniform:
			c.Least, c.Greatest = in.Number(), in.Number()
		}
		if in.Bad || c.N == 0 || c.N > count.MaxDocs || c.Yes > c.N || !(c.Least >= 0 && c.Least <= c.Greatest && c.Greatest <= count.MaxReal) {
			return count.ErrInvalid
		}
		r.cells = append(r.cells, c)
	}
	if len(r.cells) == 0 {
		return count.ErrInvalid
	}
	return nil
}

// decodeCounts reads of what append wrote only how many documents of each class
// there are: without its sums, a row is read in a fraction of the time.
func decodeCounts(data []byte) (valueRow, error) {
	in := wire.Reader{Data: data}
	kind := count.Kind(in.Byte())
	in.Uvarint()
	var counts valueRow
	next := uint64(0)
	for in.At < len(data) && !in.Bad {
		c := valueCell{}
		c.class, next = readClass(&in, next)
		c.n = in.Uvarint()
		switch kind {
		case count.YesNo:
			in.Uvarint()
		case count.Real:
			in.SkipExact()
			in.SkipExact()
		case count.Uniform:
			in.Bytes(16)
		}
		counts = append(counts, c)
	}
	if in.Bad || len(counts) == 0 {
		return nil, count.ErrInvalid
	}
	return counts, nil
}

// readClass reads the distance of a class id from the least that it can be, and
// returns it with the least that the one after it can be.
func readClass(r *wire.Reader, least uint64) (uint32, uint64) {
	gap := r.Uvarint()
	if gap > math.MaxUint32 || least+gap > math.MaxUint32 {
		r.Bad = true
		return 0, 0
	}
	return uint32(least + gap), least + gap + 1
}

// find returns where the cell of class is, or belongs.
func (r *attributeRow) find(class uint32) (int, bool) {
	return slices.BinarySearchFunc(r.cells, class, func(c attributeCell, class uint32) int { return cmp.Compare(c.class, class) })
}

// valueRow is how many documents have one value, by class id in ascending order.
type valueRow []valueCell

type valueCell struct {
	class uint32
	n     uint64
}

func (v valueRow) append(dst []byte) []byte {
	next := uint64(0)
	for _, c := range v {
		dst = binary.AppendUvarint(dst, uint64(c.class)-next)
		dst = binary.AppendUvarint(dst, c.n)
		next = uint64(c.class) + 1
	}
	return dst
}

// decodeValue reads what append wrote, in place of what was in v.
func decodeValue(data []byte, v valueRow) (valueRow, error) {
	in := wire.Reader{Data: data}
	v = v[:0]
	next := uint64(0)
	for in.At < len(data) {
		c := valueCell{}
		c.class, next = readClass(&in, next)
		c.n = in.Uvarint()
		if in.Bad || c.n == 0 || c.n > count.MaxDocs {
			return v, count.ErrInvalid
		}
		v = append(v, c)
	}
	if len(v) == 0 {
		return v, count.ErrInvalid
	}
	return v, nil
}

func (v valueRow) find(class uint32) (int, bool) {
	return slices.BinarySearchFunc(v, class, func(c valueCell, class uint32) int { return cmp.Compare(c.class, class) })
}

// count is how many documents of class have the value.
func (v valueRow) count(class uint32) uint64 {
	if at, found := v.find(class); found {
		return v[at].n
	}
	return 0
}

// valueBytes are those of a's value in a key: they sort as the values do.
func valueBytes(a *count.Attribute) string {
	if a.Kind == count.Category {
		return a.Category
	}
	return string(binary.BigEndian.AppendUint64(nil, math.Float64bits(a.Number+0)))
}

// valueOf is the attribute that has these valueBytes.
func valueOf(name string, kind count.Kind, value []byte) (count.Attribute, error) {
	a := count.Attribute{Name: name, Kind: kind}
	switch {
	case kind == count.Category:
		a.Category = string(value)
	case kind == count.Uniform && len(value) == 8:
		a.Number = math.Float64frombits(binary.BigEndian.Uint64(value))
		if math.Signbit(a.Number) {
			return a, count.ErrInvalid
		}
	default:
		return a, count.ErrInvalid
	}
	return a, a.Check()
}

// valuePrefix begins the keys of all values of an attribute.
func valuePrefix(name string) []byte { return append([]byte{byte(len(name))}, name...) }

func valueKey(name, value string) string { return string(append(valuePrefix(name), value...)) }

// splitValueKey returns the name of the attribute and the bytes of its value.
func splitValueKey(key []byte) (name string, value []byte, ok bool) {
	if len(key) == 0 || len(key) <= 1+int(key[0]) {
		return "", nil, false
	}
	n := 1 + int(key[0])
	return string(key[1:n]), key[n:], true
}
