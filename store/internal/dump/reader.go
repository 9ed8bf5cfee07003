// Package dump reads and writes the text form of a database; see FORMAT.md of package store,
// "Dump".
package dump

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/summed"
	"github.com/polya-classifier/polya/store/internal/table"
)

// maxLine is more bytes than a term in 100,000 classes has, or a document of a million terms.
const maxLine = 256 << 20

// MaxFields bounds the fields of a line, each of which takes 16 bytes beside its text:
// a document of a million terms has two million.
const MaxFields = 4 << 20

// Dump holds what Read has read.
type Dump struct {
	Counts summed.Documents
	Ledger []Listed // the documents that the ledger knows, which are among the counts
	Hash   []byte   // of the lines that dumps of equal counts share, with or without ledger
	Lines  int      // how many the dump has
}

// Listed is a document of the ledger.
type Listed struct {
	Class  string
	ID     count.DocID
	Doc    *encoded.Document // nil with Digest
	Digest *stored.Entry     // nil unless the ledger has a digest of it
}

type reader struct {
	out          Dump
	asks         func(analyzer string, tags bool) error
	tags         bool
	terms, vocab uint64 // without those of channels; as the dump says
	ended        bool
	epochs       bool // the dump says in which epoch rows and digests were made

	analyzed bool  // the dump names an analyzer
	other    error // of asks
}

// Read reads the dump in r. asks returns an error unless the dump has the right analyzer,
// and is of tags if it should be. The error is a *LineError, or the error of asks or of
// ctx.
func Read(ctx context.Context, r io.Reader, asks func(analyzer string, tags bool) error) (*Dump, error) {
	l := &reader{asks: asks}
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 1<<16), maxLine)
	crc, counts := crc32.New(crc32.MakeTable(crc32.Castagnoli)), sha256.New()
	line := 0
	for scanner.Scan() {
		line++
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		text := scanner.Text()
		parts := strings.SplitN(text, "\t", MaxFields+1)
		if len(parts) > MaxFields {
			return nil, &LineError{line, fmt.Errorf("%w: more than %d fields", count.ErrInvalid, MaxFields)}
		}
		if err := l.line(line, parts, crc.Sum32()); l.other != nil {
			return nil, l.other
		} else if err != nil {
			return nil, &LineError{line, err}
		}
		io.WriteString(crc, text+"\n")
		if !slices.Contains(notCounts, parts[0]) {
			io.WriteString(counts, text+"\n")
		}
	}
	if err := scanner.Err(); err != nil {
		return nil, &LineError{line + 1, err}
	}
	if !l.ended {
		return nil, &LineError{line + 1, fmt.Errorf("%w: the dump has no end; it was cut short", count.ErrInvalid)}
	}
	l.out.Hash, l.out.Lines = counts.Sum(nil), line
	return &l.out, nil
}

// notCounts are the lines that dumps of equal counts need not share.
var notCounts = []string{"epoch", "document", "digest", "end"}

func (l *reader) line(n int, text []string, crc uint32) (err error) {
	f := &fields{text[1:], &err}
	switch {
	case l.ended:
		f.failf("something follows the end")
	case (n == 1) != (text[0] == "polya-dump"):
		f.failf("not a polya dump, which is text")
	}
	if err != nil {
		return err
	}
	switch text[0] {
	case "polya-dump":
		l.head(f)
	case "analyzer":
		if spec := f.text(); f.end() {
			l.analyzed, l.other = true, l.asks(spec, l.tags)
		}
	case "vocabulary":
		l.vocab = f.number()
	case "epoch":
		l.pruned(f)
	case "class":
		l.class(f)
	case "dropped":
		l.dropped(f)
	case "lengths":
		l.lengths(f)
	case "term":
		l.term(f)
	case "attribute":
		l.attribute(f)
	case "value":
		l.value(f)
	case "document", "digest":
		l.listed(f, text[0] == "digest")
	case "end":
		l.end(f, crc)
	default:
		f.failf("unknown line %.20q", text[0])
	}
	f.end()
	return err
}

func (l *reader) head(f *fields) {
	version := f.next()
	l.tags = slices.Equal(f.rest, []string{ofTags})
	if version != Version || len(f.rest) > 0 && !l.tags {
		f.failf("dump of another version, this program reads %s", Version)
	}
	f.rest = nil
}

func (l *reader) class(f *fields) {
	c := count.Class{Name: f.text(), Docs: f.number(), Tokens: f.number(), Weight: f.number()}
	if count.CheckClassName(c.Name) != nil || !utf8.ValidString(c.Name) {
		f.failf("class name %.40q", c.Name)
	}
	l.out.Counts.Classes = append(l.out.Counts.Classes, c)
}

// pruned reads the epoch of a dump that has epochs of rows and digests.
func (l *reader) pruned(f *fields) {
	l.out.Counts.Epoch = f.number()
	if l.out.Counts.Epoch >= stored.LostEpoch || l.epochs || len(l.out.Counts.Classes) > 0 {
		f.failf("want one epoch before the classes")
	}
	l.epochs = true
}

// lastClass returns the class that a line is about.
func (l *reader) lastClass(f *fields) *count.Class {
	n := len(l.out.Counts.Classes)
	if n == 0 {
		f.failf("counts without a class")
		return new(count.Class)
	}
	return &l.out.Counts.Classes[n-1]
}

// dropped reads the counts of dropped terms of a class.
func (l *reader) dropped(f *fields) {
	c := l.lastClass(f)
	again := c.Dropped > 0 || c.DroppedWeight > 0
	c.Dropped, c.DroppedWeight = f.number(), f.number()
	if again || c.Dropped == 0 && c.DroppedWeight == 0 {
		f.failf("dropped tokens of class %q", c.Name)
	}
}

func (l *reader) lengths(f *fields) {
	c := l.lastClass(f)
	for f.more() {
		p := f.split(":", "\t")
		c.Lengths = append(c.Lengths, count.Pair{N: p.number(), Count: p.number()})
	}
}

func (l *reader) term(f *fields) {
	term, epoch := f.text(), uint64(0)
	if term == "" || len(term) > count.MaxTermBytes {
		f.failf("term %.40q", term)
	}
	if !count.OfChannel([]byte(term)) {
		l.terms++
	}
	if len(f.rest) > 0 && strings.HasPrefix(f.rest[0], "@") {
		f.rest[0] = f.rest[0][1:]
		if epoch = l.epoch(f); epoch > l.out.Counts.Epoch {
			f.failf("a term of epoch %d", epoch)
		}
	}
	var cells []table.Cell
	for f.more() {
		cells = append(cells, l.cell(f))
	}
	if *f.err == nil && (len(cells) == 0 || table.Check(cells) != nil) {
		f.failf("term %.40q has counts that no documents give, or classes out of order", term)
	}
	if *f.err == nil {
		l.out.Counts.AddRow([]byte(term), epoch, cells)
	}
}

// epoch reads an epoch, which must be above 0, since 0 is not written.
func (l *reader) epoch(f *fields) uint64 {
	n := f.number()
	if !l.epochs || n == 0 || n > l.out.Counts.Epoch && n != stored.LostEpoch {
		f.failf("epoch %d", n)
	}
	return n
}

// counts reads the class of a field "class=n,n,…" and returns the field for the rest.
func (l *reader) counts(f *fields) (class uint32, rest *fields) {
	rest = f.split("=", ",")
	return uint32(l.classNumber(rest)), rest
}

func (l *reader) classNumber(f *fields) int {
	n := f.number()
	if n >= uint64(len(l.out.Counts.Classes)) {
		f.failf("there is no class %d", n)
		return 0
	}
	return int(n)
}

// cell reads "class=W,U0,U1,…".
func (l *reader) cell(f *fields) table.Cell {
	class, n := l.counts(f)
	c := table.Cell{Class: class, W: n.number(), U: make([]uint32, 0, min(len(n.rest), count.MaxCount))}
	for n.more() {
		u := n.number()
		if u > math.MaxUint32 || len(c.U) == count.MaxCount {
			f.failf("a count of documents of class %d", class)
		}
		c.U = append(c.U, uint32(u))
		c.TF += u
	}
	if len(c.U) > 0 { // or Check refuses it
		c.DF = uint64(c.U[0])
	}
	return c
}

func (l *reader) end(f *fields, crc uint32) {
	l.ended = true
	if f.next() != fmt.Sprintf("%08x", crc) {
		f.failf("checksum %08x is not the one at the end", crc)
	}
	if l.terms != l.vocab {
		f.failf("%d terms, the vocabulary is %d", l.terms, l.vocab)
	}
	if !l.analyzed {
		f.failf("the dump names no analyzer")
	}
	for i := range l.out.Counts.Attributes {
		l.out.Counts.Attributes[i].SetBounds()
	}
	if l.out.Counts.Check() != nil {
		f.failf("counts that no documents give")
	}
}
