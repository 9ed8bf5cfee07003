// Package summed holds the summed counts of documents without ids, of a dump or of a database
// that is merged.
package summed

import (
	"bytes"
	"encoding/binary"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// MaxSum bounds the tokens and the weight of a class: a number of a dump has 62 bits.
const MaxSum = 1<<62 - 1

// Documents holds the summed counts of documents without ids.
type Documents struct {
	Classes []count.Class // in order of name; only Name, Docs, Lengths and the dropped counts are set
	Epoch   uint64        // of the database that the rows are from
	Rows    []byte        // term length u8, term, row length uvarint, row with class = index; each term once

	Attributes []attributes.Attribute // in order of name
}

// Check returns count.ErrInvalid unless documents can give the sums s.
func (s *Documents) Check() error {
	tokens, nonEmpty := make([]uint64, len(s.Classes)), make([]uint64, len(s.Classes))
	for i, c := range s.Classes {
		docs := uint64(0)
		for k, l := range c.Lengths {
			if l.N > count.MaxTokens || l.Count == 0 || l.Count > count.MaxDocs || (k > 0 && l.N <= c.Lengths[k-1].N) {
				return count.ErrInvalid
			}
			docs += l.Count
			tokens[i] += l.N * l.Count
			if l.N > 0 {
				nonEmpty[i] += l.Count
			}
		}
		if docs == 0 || docs > count.MaxDocs || docs != c.Docs || (i > 0 && c.Name <= s.Classes[i-1].Name) {
			return count.ErrInvalid
		}
		if tokens[i] > MaxSum || c.Dropped > tokens[i] || c.DroppedWeight > MaxSum || c.DroppedWeight>>16 > c.Dropped {
			return count.ErrInvalid
		}
		tokens[i] -= c.Dropped
	}
	last := []byte(nil)
	err := s.Each(func(term []byte, row *table.Row) error {
		if row.Epoch > s.Epoch || bytes.Compare(term, last) <= 0 {
			return count.ErrInvalid
		}
		last = term
		for _, c := range row.Cells {
			if len(c.U) > count.MaxCount {
				return count.ErrInvalid
			}
			if count.OfChannel(term) {
				if c.DF > s.Classes[c.Class].Docs || c.W > 0 {
					return count.ErrInvalid
				}
				continue
			}
			if c.DF > nonEmpty[c.Class] || c.TF > tokens[c.Class] {
				return count.ErrInvalid
			}
			tokens[c.Class] -= c.TF
		}
		return nil
	})
	for _, left := range tokens {
		if left != 0 {
			return count.ErrInvalid
		}
	}
	if err != nil {
		return count.ErrInvalid
	}
	docs := make([]uint64, len(s.Classes))
	for i := range s.Classes {
		docs[i] = s.Classes[i].Docs
	}
	return attributes.Check(s.Attributes, docs)
}

// AddRow appends a term with the epoch of its row and its cells, whose classes are indices.
func (s *Documents) AddRow(term []byte, epoch uint64, cells []table.Cell) {
	row := table.AppendRow(table.AppendEpoch(nil, epoch), cells)
	s.Rows = append(s.Rows, byte(len(term)))
	s.Rows = append(s.Rows, term...)
	s.Rows = binary.AppendUvarint(s.Rows, uint64(len(row)))
	s.Rows = append(s.Rows, row...)
}

// Each calls f with each term and its row, valid only during the call.
func (s *Documents) Each(f func(term []byte, row *table.Row) error) error {
	r := wire.Reader{Data: s.Rows}
	var row table.Row
	for r.At < len(r.Data) {
		term := r.Bytes(int(r.Byte()))
		raw := r.Prefixed()
		if r.Bad || len(term) == 0 || row.Decode(raw, true) != nil || table.Check(row.Cells) != nil {
			return count.ErrInvalid
		}
		if n := len(row.Cells); int64(row.Cells[n-1].Class) >= int64(len(s.Classes)) {
			return count.ErrInvalid
		}
		if err := f(term, &row); err != nil {
			return err
		}
	}
	return nil
}

// Size returns the approximate number of bytes of memory that s takes.
func (s *Documents) Size() int {
	n := len(s.Rows)
	for i := range s.Attributes {
		n += 100 * (1 + len(s.Attributes[i].Row.Cells) + len(s.Attributes[i].Values))
	}
	return n
}
