package rows

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// Change is the change that documents make to the cell of a class. It is immutable.
type Change struct {
	Class uint32
	Docs  int64 // of U[0]
	TF    int64 // of all U
	W     int64
	More  []int64 // of U[1], U[2], …
}

// AddTo adds the change to the cells of a row, and returns false if a count falls below zero.
func (c *Change) AddTo(row *table.Columns) bool {
	return row.Add(c.Class, c.Docs, c.TF, c.W)
}

// plus returns the sum of two changes in one class.
func (c Change) plus(d *Change) Change {
	more := make([]int64, max(len(c.More), len(d.More)))
	copy(more, c.More)
	for i, u := range d.More {
		more[i] += u
	}
	return Change{c.Class, c.Docs + d.Docs, c.TF + d.TF, c.W + d.W, more}
}

// AppendChanges appends changes, which it sorts by class and sums, without those that change
// nothing.
func AppendChanges(dst []byte, changes []Change) []byte {
	slices.SortFunc(changes, func(a, b Change) int { return cmp.Compare(a.Class, b.Class) })
	for i := 0; i < len(changes); i++ {
		c := changes[i]
		for i+1 < len(changes) && changes[i+1].Class == c.Class {
			i++
			c = c.plus(&changes[i])
		}
		more := c.More
		for len(more) > 0 && more[len(more)-1] == 0 {
			more = more[:len(more)-1]
		}
		if c.Docs == 0 && c.W == 0 && len(more) == 0 {
			continue
		}
		kind := uint64(0)
		if len(more) > 0 {
			kind = 1
		}
		dst = binary.AppendUvarint(dst, uint64(c.Class)<<1|kind)
		dst = binary.AppendVarint(dst, c.Docs)
		dst = binary.AppendVarint(dst, c.W)
		if kind == 0 {
			continue
		}
		dst = binary.AppendUvarint(dst, uint64(len(more)))
		for _, u := range more {
			dst = binary.AppendVarint(dst, u)
		}
	}
	return dst
}

// ReadChanges appends to list the changes that AppendChanges wrote, at least one. The
// error is table.ErrCorrupt.
func ReadChanges(list []Change, data []byte) ([]Change, error) {
	r := wire.Reader{Data: data}
	for more := true; more; more = !r.Bad && r.At < len(data) {
		class := r.Uvarint()
		c := Change{Class: uint32(class >> 1), Docs: r.Varint(), W: r.Varint()}
		r.Bad = r.Bad || class>>33 != 0
		if c.TF = c.Docs; class&1 != 0 {
			c.More = make([]int64, r.Count())
			for i := range c.More {
				c.More[i] = r.Varint()
				c.TF += c.More[i]
			}
		}
		list = append(list, c)
	}
	if r.Bad {
		return nil, table.ErrCorrupt
	}
	return list, nil
}

// Fold is a count table with changes in place of rows: the changes of all records of the
// tail up to its position. A table of rows that has reached that position holds them too;
// all other tables are as they were when the fold was made.
type Fold struct{ table.Table }

// find appends the changes of a term to list. The error is table.ErrCorrupt.
func (f *Fold) find(list []Change, hash uint64, term []byte) ([]Change, error) {
	data, _, err := f.Locate(hash, term)
	if data == nil || err != nil {
		return list, err
	}
	return ReadChanges(list, data)
}

// Each calls g with each term that has changes, valid only during the call; from returns
// the position up to which a term's table of rows holds all records. A nil fold has no
// terms. The error is table.ErrCorrupt.
func (f *Fold) Each(key *table.Key, from func(hash uint64) uint64, g func(hash uint64, term []byte, changes []Change)) error {
	if f == nil {
		return nil
	}
	var failed error
	err := f.All(func(_ uint32, term, data []byte) bool {
		hash := key.Hash(term)
		if from(hash) >= f.Seq() {
			return true
		}
		var changes []Change
		if changes, failed = ReadChanges(nil, data); failed == nil {
			g(hash, term, changes)
		}
		return failed == nil
	})
	return cmp.Or(err, failed)
}
