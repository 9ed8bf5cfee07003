package store

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/dump"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/summed"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// Tally sums documents without a database. Tallies on several machines exchange Pieces, and
// each writes a Section of one dump. After an error a Tally is useless.
type Tally struct {
	Applied Applied // what Learn has done

	counted
	classes map[string]*count.Class
	byID    []*count.Class
}

// NewTally returns a Tally of no documents.
func NewTally() *Tally {
	var key table.Key
	rand.Read(key[:]) // or the sender of documents could give all terms one slot
	return &Tally{
		counted: counted{sum: rows.NewTally(&key), attributes: attributes.NewChanges(layout.Tx{}, false)},
		classes: make(map[string]*count.Class),
	}
}

func (t *Tally) class(name string) *count.Class {
	c := t.classes[name]
	if c == nil {
		c = &count.Class{ID: count.ClassID(len(t.byID)), Name: name}
		t.classes[name] = c
		t.byID = append(t.byID, c)
	}
	return c
}

// Classes returns all classes, in order of name. They may change when documents are added.
func (t *Tally) Classes() []*count.Class {
	return slices.SortedFunc(slices.Values(t.byID), func(a, b *count.Class) int { return strings.Compare(a.Name, b.Name) })
}

// Learn counts a document of which these are all copies, in the order of training, and returns
// it as a database with that ledger would keep it. Without a ledger all of them count, and
// the last is returned. The error names the document.
func (t *Tally) Learn(ledger count.Ledger, copies ...*Encoded) (*Encoded, error) {
	kept := copies[0]
	t.Applied.Learned++
	for _, e := range copies[1:] {
		moves := e.class != kept.class
		switch {
		case ledger == count.LedgerNone:
			t.Applied.Learned++
			if err := t.learn(kept); err != nil {
				return nil, err
			}
			kept = e
			continue
		case ledger == count.LedgerFull:
			kept = &Encoded{e.class, meet(kept.doc, e.doc, moves)}
		case !moves:
		case e.doc.Digest() == kept.doc.Digest():
			kept = e
		default:
			t.Applied.Conflicts = append(t.Applied.Conflicts, e.doc.ID)
			continue
		}
		if moves {
			t.Applied.Moved++
		} else {
			t.Applied.Already++
		}
	}
	return kept, t.learn(kept)
}

func (t *Tally) learn(e *Encoded) error { return t.count(t.class(e.class), e.doc, 1) }

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
		if err := joinClass(to, &from, from.Tokens, from.Weight, 0); err != nil {
			return err
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

// Section is a part of a dump that was written.
type Section struct {
	Bytes int64
	CRC   uint32 // CRC-32C of these bytes
	Terms uint64 // of no channel
}

// EndOfDump returns the line after these sections, which are all before it in their order.
func EndOfDump(sections ...Section) string {
	castagnoli, sum := crc32.MakeTable(crc32.Castagnoli), uint32(0)
	zeros := make([]byte, 1<<20)
	for _, s := range sections {
		// A checksum is linear: what stands before s changes the sum of s as it changes the
		// sum of as many zeros.
		after, alone := sum, uint32(0)
		for n := s.Bytes; n > 0; n -= int64(len(zeros)) {
			z := zeros[:min(n, int64(len(zeros)))]
			after, alone = crc32.Update(after, castagnoli, z), crc32.Update(alone, castagnoli, z)
		}
		sum = s.CRC ^ after ^ alone
	}
	return dump.End(sum)
}

// Writer writes a Section of a dump, whose classes are those of a Tally. Nothing may be added
// to that meanwhile.
type Writer struct {
	t      *Tally
	to     counter
	w      *dump.Writer
	number []int // of classes in the dump, by id
	terms  uint64
}

type counter struct {
	io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n += int64(n)
	return n, err
}

// Writer returns a Writer to w.
func (t *Tally) Writer(w io.Writer) *Writer {
	p := &Writer{t: t, to: counter{Writer: w}, number: make([]int, len(t.byID))}
	p.w = dump.NewWriter(&p.to)
	for i, c := range t.Classes() {
		p.number[c.ID] = i
	}
	return p
}

// Head writes the first lines and the classes, and says that the dump has so many terms.
func (p *Writer) Head(analyzer string, tags bool, terms uint64) {
	p.w.Head(analyzer, tags, terms, nil)
	for _, c := range p.t.Classes() {
		p.w.Class(c)
	}
}

// Terms writes all terms, in order.
func (p *Writer) Terms() error {
	var cells []count.Cell
	err := p.t.each(func(term []byte, from []table.Cell) {
		cells = cells[:0]
		for _, c := range from {
			cells = append(cells, count.Cell{Class: int(c.Class), DF: c.DF, TF: c.TF, W: c.W, U: c.U})
		}
		slices.SortFunc(cells, func(a, b count.Cell) int { return cmp.Compare(p.number[a.Class], p.number[b.Class]) })
		p.w.Term(term, 0, cells, p.number)
		if !count.OfChannel(term) {
			p.terms++
		}
	})
	p.w.EndTerms()
	return err
}

// Attributes writes the attributes.
func (p *Writer) Attributes() error {
	for _, a := range p.t.attributes.List(func(class uint32) uint32 { return uint32(p.number[class]) }) {
		if err := p.w.Attribute(&a); err != nil {
			return err
		}
	}
	return nil
}

// Document writes a document of the ledger; they come in order of id.
func (p *Writer) Document(ledger count.Ledger, e *Encoded) {
	class := p.number[p.t.class(e.class).ID]
	if ledger == count.LedgerFull {
		p.w.Document(class, e.doc)
		return
	}
	p.w.Digest(class, e.doc.ID, &stored.Entry{Time: e.doc.Time, Source: e.doc.Source, Digest: e.doc.Digest()}, 0)
}

// Close writes what is buffered, and returns the first error of writing.
func (p *Writer) Close() (Section, error) {
	err := p.w.Flush()
	return Section{p.to.n, p.w.Sum(), p.terms}, err
}
