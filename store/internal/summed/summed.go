// Package summed holds the summed counts of documents without ids, of a dump or of a database
// that is merged.
package summed

import (
	"bytes"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// MaxSum bounds the tokens and the weight of a class: a number of a dump has 62 bits.
const MaxSum = 1<<62 - 1

// Documents holds the summed counts of documents without ids.
type Documents struct {
	Classes []count.Class // in order of name; without counts of terms
	Epoch   uint64        // of the database that the rows are from
	Rows    []byte        // term length u8, term, row length uvarint, row with class = index; each term once

	Attributes []attributes.Attribute // in order of name
}

// Check returns count.ErrInvalid unless documents can give the sums s.
func (s *Documents) Check() error {
	docs := make([]uint64, len(s.Classes))
	for i := range s.Classes {
		c := &s.Classes[i]
		if docs[i] = c.Docs; !soundTotals(c) || i > 0 && c.Name <= s.Classes[i-1].Name {
			return count.ErrInvalid
		}
	}
	for i := range s.Attributes {
		a := &s.Attributes[i]
		if count.CheckName(a.Name) != nil || i > 0 && a.Name <= s.Attributes[i-1].Name || a.Check(docs) != nil {
			return count.ErrInvalid
		}
	}
	return s.checkRows()
}

// soundTotals reports whether documents can give the totals of a class.
func soundTotals(c *count.Class) bool {
	docs, tokens := uint64(0), uint64(0)
	for k, l := range c.Lengths {
		if l.N > count.MaxTokens || l.Count == 0 || l.Count > count.MaxDocs || (k > 0 && l.N <= c.Lengths[k-1].N) {
			return false
		}
		docs += l.Count
		tokens += l.N * l.Count
	}
	return docs > 0 && docs <= count.MaxDocs && docs == c.Docs && tokens == c.Tokens && tokens <= MaxSum &&
		c.Dropped <= tokens && c.DroppedWeight <= c.Weight && c.Weight <= MaxSum && c.DroppedWeight>>16 <= c.Dropped
}

// checkRows takes the rows from the totals: nothing may be left but what was dropped.
func (s *Documents) checkRows() error {
	left, last := slices.Clone(s.Classes), []byte(nil)
	for i := range left {
		left[i].Tokens -= left[i].Dropped
		left[i].Weight -= left[i].DroppedWeight
	}
	err := s.Each(func(term []byte, row *table.Row) error {
		if row.Epoch > s.Epoch || bytes.Compare(term, last) <= 0 {
			return count.ErrInvalid
		}
		last = term
		channel := count.OfChannel(term)
		for _, cell := range row.Cells {
			c := &left[cell.Class]
			if len(cell.U) > count.MaxCount || channel && (cell.DF > c.Docs || cell.W > 0) {
				return count.ErrInvalid
			}
			if channel {
				continue
			}
			if cell.DF > rows.NonEmpty(c) || cell.TF > c.Tokens || cell.W > c.Weight {
				return count.ErrInvalid
			}
			c.Tokens -= cell.TF
			c.Weight -= cell.W
		}
		return nil
	})
	if err != nil || slices.ContainsFunc(left, func(c count.Class) bool { return c.Tokens|c.Weight != 0 }) {
		return count.ErrInvalid
	}
	return nil
}

// AddRow appends a term with the epoch of its row and its cells, whose classes are indices.
func (s *Documents) AddRow(term []byte, epoch uint64, cells []table.Cell) {
	row := table.AppendRow(table.AppendEpoch(nil, epoch), cells)
	s.Rows = append(append(s.Rows, byte(len(term))), term...)
	s.Rows = wire.AppendPrefixed(s.Rows, row)
}

// Sort sorts the rows by term.
func (s *Documents) Sort() {
	var list [][]byte
	for r := (wire.Reader{Data: s.Rows}); r.At < len(r.Data); {
		start := r.At
		r.Bytes(int(r.Byte()))
		r.Prefixed()
		list = append(list, s.Rows[start:r.At])
	}
	term := func(row []byte) []byte { return row[1 : 1+int(row[0])] }
	slices.SortFunc(list, func(a, b []byte) int { return bytes.Compare(term(a), term(b)) })
	s.Rows = slices.Concat(list...)
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
