package store

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/stored"
	"hash/crc32"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"
)

// dumpVersion is the version of the text that Dump writes.
const dumpVersion = "1"

// Dump writes the counts as text: classes by name, terms and attributes in byte order, so that
// equal counts give equal bytes whatever the order, grouping, ids and times of
// training. With ledger, the documents that the ledger knows follow, in order
// of id. See FORMAT.md, "Dump".
//
// The file is checked for what nobody would miss, its pages before and its counts
// meanwhile: with a *CorruptError, what was written has no end, and Load refuses it.
func (db *DB) Dump(ctx context.Context, w io.Writer, ledger bool) error {
	if err := db.checkWhole(); err != nil {
		return db.fail(err)
	}
	return db.View(func(s *Snapshot) error {
		sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
		d := s.dumper(io.MultiWriter(w, sum))
		if ledger {
			if err := d.epochs(); err != nil {
				return err
			}
		}
		if err := d.counts(ctx); err != nil {
			return err
		}
		if ledger {
			if err := d.documents(ctx); err != nil {
				return err
			}
		}
		if err := d.w.Flush(); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "end\t%08x\n", sum.Sum32())
		return err
	})
}

type dumper struct {
	s          *Snapshot
	w          *bufio.Writer
	index      []int // by place in s.Classes: number in the dump, -1 for none
	withEpochs bool  // write the epochs of rows and documents
	buf        []byte
	check      checker
	bad        error // the first thing that it found
}

func (s *Snapshot) dumper(w io.Writer) *dumper {
	d := &dumper{s: s, w: bufio.NewWriterSize(w, 1<<16)}
	d.check = checker{s: s, problem: func(err error) { d.bad = cmp.Or(d.bad, err) }}
	return d
}

// counts writes all but the ledger.
func (d *dumper) counts(ctx context.Context) error {
	d.line("polya-dump", dumpVersion)
	d.line("analyzer", escape(d.s.db.analyzer))
	d.line("vocabulary", number(d.s.Vocabulary()))
	if d.withEpochs {
		d.line("epoch", number(d.s.totals.epoch))
	}
	d.classes()
	if err := d.terms(ctx); err != nil {
		return err
	}
	return d.attributes()
}

// epochs decides whether the dump must say when rows were made: there are
// documents, kept as a digest, from before terms were dropped.
func (d *dumper) epochs() error {
	err := d.s.entries(func(_ count.DocID, rec *stored.Record, e *stored.Entry) error {
		if rec == nil && e.Epoch != d.s.totals.epoch {
			d.withEpochs = true
			return errNothing
		}
		return nil
	})
	if d.withEpochs {
		return nil
	}
	return d.s.db.fail(err)
}

// line writes fields, which must be escaped. Errors wait for Flush.
func (d *dumper) line(fields ...string) {
	for i, f := range fields {
		if i > 0 {
			d.w.WriteByte('\t')
		}
		d.w.WriteString(f)
	}
	d.w.WriteByte('\n')
}

func number(n uint64) string { return strconv.FormatUint(n, 10) }

// classes writes those with documents: one without is no count.
func (d *dumper) classes() {
	n := 0
	for _, c := range d.s.Classes() {
		if c.Docs == 0 {
			d.index = append(d.index, -1)
			continue
		}
		d.index = append(d.index, n)
		n++
		d.line("class", escape(c.Name), number(c.Docs), number(c.Tokens), number(c.Weight))
		d.buf = append(d.buf[:0], "lengths"...)
		for _, l := range c.Lengths {
			d.buf = append(d.buf, '\t')
			d.buf = strconv.AppendUint(d.buf, l.N, 10)
			d.buf = append(d.buf, ':')
			d.buf = strconv.AppendUint(d.buf, l.Count, 10)
		}
		d.line(string(d.buf))
		if c.Dropped > 0 || c.DroppedWeight > 0 {
			d.line("dropped", number(c.Dropped), number(c.DroppedWeight))
		}
	}
}

// attributes writes what is counted of each attribute, in order of name, and of
// each value.
func (d *dumper) attributes() error {
	err := d.check.attributes()
	if err = cmp.Or(err, d.bad); err != nil {
		return d.s.db.fail(err)
	}
	return d.attributeLines()
}

// terms writes every term with, for each class that has it, the class's number,
// W and U.
func (d *dumper) terms(ctx context.Context) error {
	type row struct{ term, line []byte }
	var rows []row
	all := newRowSums(len(d.s.Classes()))
	err := d.s.Scan(true, func(term []byte, cells []count.Cell) error {
		all.add(cells)
		slices.SortFunc(cells, func(a, b count.Cell) int { return cmp.Compare(a.Class, b.Class) })
		d.buf = d.buf[:0]
		if d.withEpochs && d.s.row.Epoch > 0 {
			d.buf = strconv.AppendUint(append(d.buf, "\t@"...), d.s.row.Epoch, 10)
		}
		for i := range cells {
			c := &cells[i]
			d.buf = append(d.buf, '\t')
			d.buf = strconv.AppendInt(d.buf, int64(d.index[c.Class]), 10)
			d.buf = append(d.buf, '=')
			d.buf = strconv.AppendUint(d.buf, c.W, 10)
			for _, u := range c.U {
				d.buf = append(d.buf, ',')
				d.buf = strconv.AppendUint(d.buf, uint64(u), 10)
			}
		}
		both := append(bytes.Clone(term), d.buf...)
		rows = append(rows, row{both[:len(term):len(term)], both[len(term):]})
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	if d.check.totals(all); d.bad != nil {
		return d.s.db.fail(d.bad)
	}
	slices.SortFunc(rows, func(a, b row) int { return bytes.Compare(a.term, b.term) })
	for _, r := range rows {
		d.w.WriteString("term\t")
		d.w.WriteString(escape(string(r.term)))
		d.w.Write(r.line)
		d.w.WriteByte('\n')
	}
	return nil
}

// documents writes what the ledger knows: id, class, time, source, and the
// counts or their digest.
func (d *dumper) documents(ctx context.Context) error {
	known := make(map[count.ClassID]uint64)
	err := d.s.entries(func(id count.DocID, rec *stored.Record, e *stored.Entry) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if d.check.Entry(known, id, rec, e); d.bad != nil {
			return d.bad
		}
		if rec == nil {
			class := d.index[d.s.totals.at(e.Class)]
			fields := []string{"digest", id.String(), strconv.Itoa(class), strconv.FormatInt(e.Time, 10), escape(string(e.Source)), fmt.Sprintf("%016x", e.Digest)}
			if d.withEpochs && e.Epoch > 0 {
				fields = append(fields, number(e.Epoch))
			}
			d.line(fields...)
			return nil
		}
		class := d.index[d.s.totals.at(rec.Class)]
		d.buf = d.buf[:0]
		rec.Doc.Each(func(term []byte, n uint8) {
			d.buf = append(d.buf, '\t')
			d.buf = strconv.AppendUint(d.buf, uint64(n), 10)
			d.buf = append(d.buf, '=')
			d.buf = append(d.buf, escape(string(term))...)
		})
		for _, p := range rec.Doc.Dropped {
			d.buf = fmt.Appendf(d.buf, "\t%d*%d", p.N, p.Count)
		}
		d.buf = attributeFields(d.buf, rec.Doc.Attributes)
		d.line("document", id.String(), strconv.Itoa(class), strconv.FormatInt(rec.Doc.Time, 10), escape(string(rec.Doc.Source))+string(d.buf))
		return nil
	})
	d.check.known(known)
	return d.s.db.fail(cmp.Or(err, d.bad))
}

// escape makes s safe between tabs and newlines: control characters, the
// backslash and bytes that are not UTF-8 become \xNN.
func escape(s string) string {
	clean := true
	for i := 0; i < len(s) && clean; i++ {
		clean = s[i] >= ' ' && s[i] < 0x7f && s[i] != '\\'
	}
	if clean {
		return s
	}
	var b []byte
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r < ' ' || r == 0x7f || r == '\\' || (r == utf8.RuneError && size == 1) {
			b = fmt.Appendf(b, `\x%02x`, s[0])
		} else {
			b = append(b, s[:size]...)
		}
		s = s[size:]
	}
	return string(b)
}

// unescape reads what escape wrote.
func unescape(s string) (string, bool) {
	var b []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b = append(b, s[i])
			continue
		}
		if i+3 >= len(s) || s[i+1] != 'x' {
			return "", false
		}
		n, err := strconv.ParseUint(s[i+2:i+4], 16, 8)
		if err != nil {
			return "", false
		}
		b = append(b, byte(n))
		i += 3
	}
	return string(b), true
}
