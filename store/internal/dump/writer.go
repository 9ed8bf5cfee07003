package dump

import (
	"bufio"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"strconv"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/summed"
	"github.com/polya-classifier/polya/store/internal/table"
)

// Version is the version of the text.
const Version = "1"

// ofTags follows the version where classes are sets of tags.
const ofTags = "tags"

// Writer writes a dump, in the order of its methods. An error of writing comes at End at the latest.
type Writer struct {
	to     io.Writer
	sum    hash.Hash32 // of what was written
	w      *bufio.Writer
	buf    []byte
	epochs bool
}

// NewWriter returns a Writer to w. With epochs it writes when rows and digests were made.
func NewWriter(w io.Writer, epochs bool) *Writer {
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	return &Writer{to: w, sum: sum, w: bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<16), epochs: epochs}
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

func (d *Writer) head(analyzer string, tags bool, vocabulary, epoch uint64) {
	if tags {
		d.line("polya-dump", Version, ofTags)
	} else {
		d.line("polya-dump", Version)
	}
	d.line("analyzer", Escape(analyzer))
	d.line("vocabulary", number(vocabulary))
	if d.epochs {
		d.line("epoch", number(epoch))
	}
}

func (d *Writer) class(c *count.Class) {
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

// Counts writes all but the ledger; vocabulary is the number of terms. The terms of all are
// sorted. The error is a *fault.Error, or one of writing.
func (d *Writer) Counts(analyzer string, tags bool, vocabulary uint64, all *summed.Documents) error {
	d.head(analyzer, tags, vocabulary, all.Epoch)
	for i := range all.Classes {
		d.class(&all.Classes[i])
	}
	all.Sort()
	if err := all.Each(d.term); err == count.ErrInvalid {
		return &fault.Error{What: "count tables", Err: err}
	} else if err != nil {
		return err
	}
	for i := range all.Attributes {
		if err := d.attribute(&all.Attributes[i]); err != nil {
			return err
		}
	}
	return nil
}

func (d *Writer) term(term []byte, row *table.Row) error {
	d.buf = append(append(d.buf[:0], "term\t"...), Escape(string(term))...)
	if d.epochs && row.Epoch > 0 {
		d.buf = strconv.AppendUint(append(d.buf, "\t@"...), row.Epoch, 10)
	}
	for i := range row.Cells {
		c := &row.Cells[i]
		d.buf = append(d.buf, '\t')
		d.buf = strconv.AppendUint(d.buf, uint64(c.Class), 10)
		d.buf = append(d.buf, '=')
		d.buf = strconv.AppendUint(d.buf, c.W, 10)
		for _, u := range c.U {
			d.buf = append(d.buf, ',')
			d.buf = strconv.AppendUint(d.buf, uint64(u), 10)
		}
	}
	_, err := d.w.Write(append(d.buf, '\n'))
	return err
}

func (d *Writer) attribute(a *attributes.Attribute) error {
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
func (d *Writer) Document(class uint32, doc *encoded.Document) {
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
	d.line("document", doc.ID.String(), number(uint64(class)), strconv.FormatInt(doc.Time, 10), Escape(string(doc.Source))+string(d.buf))
}

// Digest writes the next document, of which there is a digest.
func (d *Writer) Digest(class uint32, id count.DocID, e *stored.Entry) {
	fields := []string{"digest", id.String(), number(uint64(class)), strconv.FormatInt(e.Time, 10), Escape(string(e.Source)), fmt.Sprintf("%016x", e.Digest)}
	if d.epochs && e.Epoch > 0 {
		fields = append(fields, number(e.Epoch))
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
