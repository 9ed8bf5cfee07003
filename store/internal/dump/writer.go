package dump

import (
	"bufio"
	"bytes"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"slices"
	"strconv"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// Version is the version of the text.
const Version = "1"

// ofTags follows the version where classes are sets of tags.
const ofTags = "tags"

// Writer writes a dump, in the order of its methods. Errors of writing wait for End.
type Writer struct {
	to    io.Writer
	sum   hash.Hash32 // of what was written
	w     *bufio.Writer
	buf   []byte
	terms []termLine
}

type termLine struct{ term, rest []byte }

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer {
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	return &Writer{to: w, sum: sum, w: bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<16)}
}

// line writes fields, which must be escaped.
func (d *Writer) line(fields ...string) {
	for i, f := range fields {
		if i > 0 {
			d.w.WriteByte('\t')
		}
		d.w.WriteString(f)
	}
	d.w.WriteByte('\n')
}

func number(n uint64) string { return strconv.FormatUint(n, 10) }

// Head writes the analyzer, whether classes are sets of tags, the number of terms and,
// unless it is nil, the epoch of the database.
func (d *Writer) Head(analyzer string, tags bool, vocabulary uint64, epoch *uint64) {
	if tags {
		d.line("polya-dump", Version, ofTags)
	} else {
		d.line("polya-dump", Version)
	}
	d.line("analyzer", Escape(analyzer))
	d.line("vocabulary", number(vocabulary))
	if epoch != nil {
		d.line("epoch", number(*epoch))
	}
}

// Class writes the totals of the next class, in order of name.
func (d *Writer) Class(c *count.Class) {
	d.line("class", Escape(c.Name), number(c.Docs), number(c.Tokens), number(c.Weight))
	d.buf = append(d.buf[:0], "lengths"...)
	for _, l := range c.Lengths {
		d.buf = fmt.Appendf(d.buf, "\t%d:%d", l.N, l.Count)
	}
	d.line(string(d.buf))
	if c.Dropped > 0 || c.DroppedWeight > 0 {
		d.line("dropped", number(c.Dropped), number(c.DroppedWeight))
	}
}

// Term takes a term with its cells, in order of class, and the epoch of its row. Terms may
// come in any order, and are written by EndTerms. number maps the classes of the cells to
// their numbers in the dump.
func (d *Writer) Term(term []byte, epoch uint64, cells []count.Cell, number []int) {
	d.buf = d.buf[:0]
	if epoch > 0 {
		d.buf = strconv.AppendUint(append(d.buf, "\t@"...), epoch, 10)
	}
	for i := range cells {
		c := &cells[i]
		d.buf = append(d.buf, '\t')
		d.buf = strconv.AppendInt(d.buf, int64(number[c.Class]), 10)
		d.buf = append(d.buf, '=')
		d.buf = strconv.AppendUint(d.buf, c.W, 10)
		for _, u := range c.U {
			d.buf = append(d.buf, ',')
			d.buf = strconv.AppendUint(d.buf, uint64(u), 10)
		}
	}
	both := append(bytes.Clone(term), d.buf...)
	d.terms = append(d.terms, termLine{both[:len(term):len(term)], both[len(term):]})
}

// EndTerms writes the terms, in order.
func (d *Writer) EndTerms() {
	slices.SortFunc(d.terms, func(a, b termLine) int { return bytes.Compare(a.term, b.term) })
	for _, r := range d.terms {
		d.w.WriteString("term\t")
		d.w.WriteString(Escape(string(r.term)))
		d.w.Write(r.rest)
		d.w.WriteByte('\n')
	}
	d.terms = nil
}

// Attribute writes the counts of the next attribute, in order of name, and of each of its
// values. The error is a *fault.Error.
func (d *Writer) Attribute(a *attributes.Attribute) error {
	d.buf = append(d.buf[:0], "attribute\t"+Escape(a.Name)+"\t"+a.Row.Kind.String()...)
	for k := range a.Row.Cells {
		d.buf = appendCell(d.buf, &a.Row.Cells[k], a.Row.Kind)
	}
	d.line(string(d.buf))
	for _, v := range a.Values {
		value, err := attributes.ValueOf(a.Name, a.Row.Kind, []byte(v.Value))
		if err != nil {
			return &fault.Error{What: "values of " + attributes.NameOf(a.Name)}
		}
		d.buf = append(d.buf[:0], "value\t"+formatValue(&value)...)
		for _, c := range v.Row.Cells {
			d.buf = fmt.Appendf(d.buf, "\t%d=%d", c.Class, c.N)
		}
		d.line(string(d.buf))
	}
	return nil
}

// Document writes the next document of the ledger, in order of id. class is a number in the dump.
func (d *Writer) Document(class int, doc *encoded.Document) {
	d.buf = d.buf[:0]
	doc.Each(func(term []byte, n uint8) {
		d.buf = append(d.buf, '\t')
		d.buf = strconv.AppendUint(d.buf, uint64(n), 10)
		d.buf = append(d.buf, '=')
		d.buf = append(d.buf, Escape(string(term))...)
	})
	for _, p := range doc.Dropped {
		d.buf = fmt.Appendf(d.buf, "\t%d*%d", p.N, p.Count)
	}
	for i := range doc.Attributes {
		a := &doc.Attributes[i]
		d.buf = append(d.buf, "\t@"+a.Kind.String()+"\t"+Escape(a.Name)+"\t"+formatValue(a)...)
	}
	d.line("document", doc.ID.String(), strconv.Itoa(class), strconv.FormatInt(doc.Time, 10), Escape(string(doc.Source))+string(d.buf))
}

// Digest writes the next document, of which there is a digest, and its epoch if above 0.
func (d *Writer) Digest(class int, id count.DocID, e *stored.Entry, epoch uint64) {
	fields := []string{"digest", id.String(), strconv.Itoa(class), strconv.FormatInt(e.Time, 10), Escape(string(e.Source)), fmt.Sprintf("%016x", e.Digest)}
	if epoch > 0 {
		fields = append(fields, number(epoch))
	}
	d.line(fields...)
}

// End writes the end of the dump, and returns the first error of writing.
func (d *Writer) End() error {
	if err := d.w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(d.to, "end\t%08x\n", d.sum.Sum32())
	return err
}
