// Package attributes counts the named values that documents have beside their words: it
// reads and writes their rows in the file, changes them by documents, and checks that they
// fit together. FORMAT.md of package store describes the rows: change both together.
package attributes

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// Listed returns whether documents are counted by value, with a row for each value.
func Listed(k count.Kind) bool { return k == count.Category || k == count.Uniform }

// Row holds the counts of one attribute, or of one value of it. An attribute that no document
// has is the zero value and has no row.
type Row struct {
	Kind   count.Kind // 0 of a value: its cells have N alone
	Values uint64     // distinct ones, of a kind that is listed
	Cells  []Cell     // by class id, in ascending order
}

// Cell holds the counts of an attribute in one class.
type Cell struct {
	Class uint32
	count.AttributeCell
	stale bool // Least and Greatest may be out of date
}

// Append appends the row to dst.
func (r *Row) Append(dst []byte) []byte {
	if r.Kind != 0 {
		dst = binary.AppendUvarint(append(dst, byte(r.Kind)), r.Values)
	}
	next := uint64(0)
	for i := range r.Cells {
		c := &r.Cells[i]
		dst = binary.AppendUvarint(dst, uint64(c.Class)-next)
		next = uint64(c.Class) + 1
		dst = binary.AppendUvarint(dst, c.N)
		switch r.Kind {
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

// Decode reads what Append wrote of an attribute. It checks each number, but not whether some
// documents can give the sums.
func (r *Row) Decode(data []byte) error {
	in := wire.Reader{Data: data}
	r.Kind, r.Values = count.Kind(in.Byte()), in.Uvarint()
	if in.Bad || r.Kind < count.Category || r.Kind > count.Uniform || Listed(r.Kind) != (r.Values > 0) {
		return count.ErrInvalid
	}
	return r.decodeCells(&in)
}

// DecodeValue is Decode of a value.
func (r *Row) DecodeValue(data []byte) error {
	r.Kind = 0
	return r.decodeCells(&wire.Reader{Data: data})
}

func (r *Row) decodeCells(in *wire.Reader) error {
	r.Cells = r.Cells[:0]
	next := uint64(0)
	for in.At < len(in.Data) {
		gap := in.Uvarint()
		class := next + gap
		c := Cell{Class: uint32(class)}
		c.N, next = in.Uvarint(), class+1
		switch r.Kind {
		case count.YesNo:
			c.Yes = in.Uvarint()
		case count.Real:
			c.Sum, c.Squares = in.Exact(), in.Exact()
		case count.Uniform:
			c.Least, c.Greatest = in.Number(), in.Number()
		}
		if in.Bad || gap > math.MaxUint32 || class > math.MaxUint32 || c.N == 0 || c.N > count.MaxDocs || c.Yes > c.N || !(c.Least >= 0 && c.Least <= c.Greatest && c.Greatest <= count.MaxReal) {
			return count.ErrInvalid
		}
		r.Cells = append(r.Cells, c)
	}
	if len(r.Cells) == 0 {
		return count.ErrInvalid
	}
	return nil
}

// Find returns where the cell of class is, or belongs.
func (r *Row) Find(class uint32) (int, bool) {
	return slices.BinarySearchFunc(r.Cells, class, func(c Cell, class uint32) int { return cmp.Compare(c.Class, class) })
}

// N returns the number of documents of a class.
func (r *Row) N(class uint32) uint64 {
	if at, found := r.Find(class); found {
		return r.Cells[at].N
	}
	return 0
}

// ValueBytes returns the bytes of a's value in a key: they sort as the values do.
func ValueBytes(a *count.Attribute) string {
	if a.Kind == count.Category {
		return a.Category
	}
	return string(binary.BigEndian.AppendUint64(nil, math.Float64bits(a.Number+0)))
}

// ValueOf returns the attribute that has these ValueBytes.
func ValueOf(name string, kind count.Kind, value []byte) (count.Attribute, error) {
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

// ValueKey returns the key of a value, given as its ValueBytes.
func ValueKey(name, value string) string { return string(append(valuePrefix(name), value...)) }

// SplitValueKey returns the name of the attribute and the bytes of its value.
func SplitValueKey(key []byte) (name string, value []byte, ok bool) {
	if len(key) == 0 || len(key) <= 1+int(key[0]) {
		return "", nil, false
	}
	n := 1 + int(key[0])
	return string(key[1:n]), key[n:], true
}

// admits returns an error if documents of that kind cannot be added, or taken away.
func (r *Row) admits(name string, kind count.Kind, sign int64) error {
	switch {
	case r.Kind == kind, r.Kind == 0 && sign > 0:
		return nil
	case sign < 0:
		return count.ErrNotLearned
	}
	return &count.AttributeError{Name: name, Have: r.Kind, Want: kind}
}

func cellOf(a *count.Attribute) count.AttributeCell {
	c := count.AttributeCell{N: 1}
	switch a.Kind {
	case count.YesNo:
		c.Yes = uint64(a.Number)
	case count.Real:
		c.Sum = count.ExactOf(a.Number)
		c.Squares = c.Sum.Mul(c.Sum)
	case count.Uniform:
		c.Least, c.Greatest = a.Number, a.Number
	}
	return c
}

// Add adds d to the cell of class, or takes it away if sign is -1. It does nothing and
// returns count.ErrNotLearned if the cell has less than d, or count.ErrTooMany if it
// cannot hold more.
func (r *Row) Add(kind count.Kind, class uint32, d *count.AttributeCell, sign int64) error {
	at, found := r.Find(class)
	if sign > 0 {
		if !found && d.N > count.MaxDocs {
			return count.ErrTooMany
		}
		if !found {
			r.Kind = kind
			r.Cells = slices.Insert(r.Cells, at, Cell{Class: class, AttributeCell: *d})
			return nil
		}
		return r.Cells[at].grow(d)
	}
	if !found || r.Cells[at].N < d.N || r.Cells[at].Yes < d.Yes {
		return count.ErrNotLearned
	}
	c := r.Cells[at]
	c.N -= d.N
	c.Yes -= d.Yes
	c.Sum, c.Squares = c.Sum.Sub(d.Sum), c.Squares.Sub(d.Squares)
	c.stale = c.stale || kind == count.Uniform && (d.Least <= c.Least || d.Greatest >= c.Greatest)
	if c.Check() != nil {
		return count.ErrNotLearned
	}
	if c.N > 0 {
		r.Cells[at] = c
		return nil
	}
	if r.Cells = slices.Delete(r.Cells, at, at+1); len(r.Cells) == 0 {
		r.Kind = 0
	}
	return nil
}

// grow adds d, of the same attribute, or does nothing and returns count.ErrTooMany.
func (c *Cell) grow(d *count.AttributeCell) error {
	sum, squares := c.Sum.Add(d.Sum), c.Squares.Add(d.Squares)
	if d.N > count.MaxDocs || c.N > count.MaxDocs-d.N || !sum.InBounds() || !squares.InBounds() {
		return count.ErrTooMany
	}
	c.N += d.N
	c.Yes += d.Yes
	c.Sum, c.Squares = sum, squares
	c.Least, c.Greatest = min(c.Least, d.Least), max(c.Greatest, d.Greatest)
	return nil
}

// AddValue is Add of n documents to those with a value v of r.
func (r *Row) AddValue(v *Row, class uint32, n uint64, sign int64) error {
	had := len(v.Cells) > 0
	if err := v.Add(0, class, &count.AttributeCell{N: n}, sign); err != nil {
		return err
	}
	switch has := len(v.Cells) > 0; {
	case has && !had:
		r.Values++
	case had && !has:
		r.Values--
	}
	return nil
}
