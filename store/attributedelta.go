package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/wire"
	"slices"
)

// sumAttribute is what the documents of a sum count of an attribute. Classes are
// indices into those of the sum.
type sumAttribute struct {
	name   string
	row    attributeRow
	values []sumValue // in order; of a kind that is listed
}

type sumValue struct {
	value string // its valueBytes
	row   valueRow
}

func appendSumAttributes(dst []byte, list []sumAttribute) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(list)))
	for i := range list {
		a := &list[i]
		dst = wire.AppendPrefixed(dst, a.name)
		dst = wire.AppendPrefixed(dst, a.row.append(nil))
		for _, v := range a.values {
			dst = wire.AppendPrefixed(dst, v.value)
			dst = wire.AppendPrefixed(dst, v.row.append(nil))
		}
	}
	return dst
}

// readSumAttributes reads what appendSumAttributes wrote, of which there is at least
// one. Check says whether documents can give it.
func readSumAttributes(r *wire.Reader) []sumAttribute {
	var list []sumAttribute
	n := r.Count()
	r.Bad = r.Bad || n == 0
	for range n {
		a := sumAttribute{name: string(r.Prefixed())}
		row := r.Prefixed()
		if r.Bad || a.row.decode(row) != nil {
			r.Bad = true
			return nil
		}
		for range a.row.values {
			v := sumValue{value: string(r.Prefixed())}
			row := r.Prefixed()
			var err error
			if v.row, err = decodeValue(row, nil); r.Bad || err != nil {
				r.Bad = true
				return nil
			}
			a.values = append(a.values, v)
		}
		list = append(list, a)
	}
	return list
}

// checkAttributes returns an error unless documents can have these attributes.
func (s *sum) checkAttributes() error {
	for i := range s.attributes {
		a := &s.attributes[i]
		if count.CheckName(a.name) != nil || i > 0 && a.name <= s.attributes[i-1].name {
			return count.ErrInvalid
		}
		for k := range a.row.cells {
			c := &a.row.cells[k]
			if int64(c.class) >= int64(len(s.classes)) || c.N > s.classes[c.class].docs || c.Check() != nil {
				return count.ErrInvalid
			}
		}
		last, check := "", newValueCheck(a.name, &a.row)
		for _, v := range a.values {
			if v.value <= last || check.add([]byte(v.value), v.row) != nil {
				return count.ErrInvalid
			}
			last = v.value
		}
		if check.finish() != nil {
			return count.ErrInvalid
		}
	}
	return nil
}

func (s *sum) attributesSize() int {
	n := 0
	for i := range s.attributes {
		n += 100 * (1 + len(s.attributes[i].row.cells) + len(s.attributes[i].values))
	}
	return n
}

// valueCheck compares the values of an attribute, given in order, with its row.
type valueCheck struct {
	name   string
	row    *attributeRow
	cells  []count.AttributeCell // N, Least and Greatest of the values, beside row.cells
	values uint64
}

func newValueCheck(name string, row *attributeRow) *valueCheck {
	return &valueCheck{name: name, row: row, cells: make([]count.AttributeCell, len(row.cells))}
}

func (c *valueCheck) add(value []byte, row valueRow) error {
	a, err := valueOf(c.name, c.row.kind, value)
	if err != nil {
		return fmt.Errorf("the value %x is none of a %s", value, c.row.kind)
	}
	c.values++
	for _, v := range row {
		at, found := c.row.find(v.class)
		if !found {
			return fmt.Errorf("a class has values, but no count")
		}
		cell := &c.cells[at]
		if cell.N == 0 {
			cell.Least = a.Number
		}
		cell.Greatest = a.Number
		cell.N += v.n
	}
	return nil
}

// finish returns an error unless the values come to the row.
func (c *valueCheck) finish() error {
	if c.values != c.row.values {
		return fmt.Errorf("%d distinct values, there are %d", c.row.values, c.values)
	}
	for i, got := range c.cells {
		want := &c.row.cells[i]
		if isListed(c.row.kind) && got.N != want.N {
			return fmt.Errorf("%d documents of a class have it, the values have %d", want.N, got.N)
		}
		if got.Least != want.Least || got.Greatest != want.Greatest {
			return fmt.Errorf("from %g to %g, the values are from %g to %g", want.Least, want.Greatest, got.Least, got.Greatest)
		}
	}
	return nil
}

// sumAttributes returns what s has counted of attributes, with the classes that
// have documents numbered in order.
func (s *Snapshot) sumAttributes() ([]sumAttribute, error) {
	numbers, n := make([]uint32, len(s.totals.classes)), uint32(0)
	for i, c := range s.totals.classes {
		numbers[i] = n
		if c.Docs > 0 {
			n++
		}
	}
	number := func(name string, id uint32) (uint32, error) {
		at := s.totals.at(count.ClassID(id))
		if at < 0 || s.totals.classes[at].Docs == 0 {
			return 0, &CorruptError{What: attributeName(name), Err: ErrNoClass}
		}
		return numbers[at], nil
	}
	var list []sumAttribute
	err := eachAttributeRow(s.tx.Bucket(stored.BucketAttribute), func(name string, row *attributeRow) (err error) {
		a := sumAttribute{name: name, row: attributeRow{kind: row.kind, values: row.values, cells: slices.Clone(row.cells)}}
		for i := range a.row.cells {
			c := &a.row.cells[i]
			if c.class, err = number(name, c.class); err != nil {
				return err
			}
		}
		slices.SortFunc(a.row.cells, func(a, b attributeCell) int { return cmp.Compare(a.class, b.class) })
		if isListed(row.kind) {
			a.values, err = s.sumValues(name, number)
		}
		list = append(list, a)
		return err
	})
	return list, err
}

func (s *Snapshot) sumValues(name string, number func(name string, id uint32) (uint32, error)) ([]sumValue, error) {
	var list []sumValue
	err := eachValueRow(s.tx.Bucket(stored.BucketValue), name, func(key []byte, row valueRow) (err error) {
		v := sumValue{value: string(bytes.TrimPrefix(key, valuePrefix(name))), row: slices.Clone(row)}
		for i := range v.row {
			if v.row[i].class, err = number(name, v.row[i].class); err != nil {
				return err
			}
		}
		slices.SortFunc(v.row, func(a, b valueCell) int { return cmp.Compare(a.class, b.class) })
		list = append(list, v)
		return nil
	})
	return list, err
}
