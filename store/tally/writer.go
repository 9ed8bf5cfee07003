package tally

import (
	"cmp"
	"hash/crc32"
	"io"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/dump"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
)

// Section is a part of a dump that was written.
type Section struct {
	Bytes int64
	CRC   uint32 // CRC-32C of these bytes
	Terms uint64 // of no channel
}

// End returns the line after these sections, which are all before it in their order.
func End(sections ...Section) string {
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
func (p *Writer) Document(ledger count.Ledger, d *Document) {
	class := p.number[p.t.class(d.Class).ID]
	if ledger == count.LedgerFull {
		p.w.Document(class, d.doc)
		return
	}
	p.w.Digest(class, d.doc.ID, &stored.Entry{Time: d.doc.Time, Source: d.doc.Source, Digest: d.doc.Digest()}, 0)
}

// Close writes what is buffered, and returns the first error of writing.
func (p *Writer) Close() (Section, error) {
	err := p.w.Flush()
	return Section{p.to.n, p.w.Sum(), p.terms}, err
}
