package tally

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/summed"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// A Piece is a part of the counts of a Tally. Join adds it to another.
type Piece []byte

// Pieces returns the counts: first of classes and attributes, then of the terms below each of
// bounds, which ascend, then of those from the last bound on, and at last of no terms. Each
// names all classes.
func (t *Tally) Pieces(bounds []string) ([]Piece, error) {
	names := []byte{0}
	all := []byte{1}
	for _, to := range []*[]byte{&names, &all} {
		*to = binary.AppendUvarint(*to, uint64(len(t.byID)))
	}
	for _, c := range t.byID {
		names = wire.AppendPrefixed(names, c.Name)
		all = wire.AppendPrefixed(all, c.Name)
		all = binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(all, c.Docs), c.Tokens), c.Weight)
		all = wire.AppendPairs(all, c.Lengths)
	}
	if list := t.attributes.List(func(class uint32) uint32 { return class }); len(list) > 0 {
		all = attributes.AppendList(all, list)
	}
	parts := make([]summed.Documents, len(bounds)+1)
	err := t.each(func(term []byte, cells []table.Cell) {
		at, found := slices.BinarySearchFunc(bounds, term, func(bound string, term []byte) int { return strings.Compare(bound, string(term)) })
		if found {
			at++
		}
		parts[at].AddRow(term, 0, cells)
	})
	pieces := []Piece{all}
	for i := range parts {
		pieces = append(pieces, append(slices.Clip(names), parts[i].Rows...))
	}
	return append(pieces, names), err
}

// each calls f with each term and its cells, valid only during the call.
func (t *Tally) each(f func(term []byte, cells []table.Cell)) error {
	var folder rows.Folder
	for i := range t.sum.Size() {
		term := t.sum.Term(i)
		if _, err := folder.Fold(nil, t.sum, i, func(uint32, uint64, uint64) {}); err != nil {
			return fmt.Errorf("term %.40q: %w", term, err)
		}
		f(term, folder.Cells())
	}
	return nil
}

// Join adds a Piece of another Tally. The error wraps count.ErrInvalid if Pieces did not make
// it, or a *count.AttributeError.
func (t *Tally) Join(p Piece) error {
	r := wire.Reader{Data: p}
	whole := r.Byte() == 1
	var ids []uint32
	var classes []count.Class
	for range r.Count() {
		from := count.Class{Name: string(r.Prefixed())}
		if whole {
			from.Docs, from.Tokens, from.Weight, from.Lengths = r.Uvarint(), r.Uvarint(), r.Uvarint(), r.Pairs()
		}
		if r.Bad || count.CheckClassName(from.Name) != nil {
			return fmt.Errorf("counts of classes: %w", count.ErrInvalid)
		}
		to := t.class(from.Name)
		to.Docs, to.Tokens, to.Weight = to.Docs+from.Docs, to.Tokens+from.Tokens, to.Weight+from.Weight
		for _, l := range from.Lengths {
			rows.AddPair(&to.Lengths, l.N, int64(l.Count))
		}
		ids, classes = append(ids, uint32(to.ID)), append(classes, from)
	}
	if !whole {
		s := summed.Documents{Classes: classes, Rows: p[min(r.At, len(p)):]}
		return s.Each(func(term []byte, row *table.Row) error {
			t.sum.AddCells(term, row.Cells, func(class uint32) uint32 { return ids[class] })
			return nil
		})
	}
	if r.At == len(p) && !r.Bad {
		return nil
	}
	docs := make([]uint64, len(classes))
	for i := range classes {
		docs[i] = classes[i].Docs
	}
	list := attributes.ReadList(&r)
	if !r.Whole() || attributes.Check(list, docs) != nil {
		return fmt.Errorf("counts of attributes: %w", count.ErrInvalid)
	}
	return t.attributes.AddSum(list, ids)
}
