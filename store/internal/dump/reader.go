// Package dump reads and writes the text form of a database; see FORMAT.md of package store,
// "Dump".
package dump

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strconv"
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

// LineError is returned where a line of a dump is wrong.
type LineError struct {
	Line int // counted from 1
	Err  error
}

// Error names the line.
func (e *LineError) Error() string { return fmt.Sprintf("dump, line %d: %v", e.Line, e.Err) }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

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

func (l *reader) className(i int) string { return l.out.Counts.Classes[i].Name }

// Read reads the dump in r. asks returns an error unless the dump has the right analyzer,
// and is of tags if it should be. The error is a *LineError, or the error of asks or of
// ctx.
func Read(ctx context.Context, r io.Reader, asks func(analyzer string, tags bool) error) (*Dump, error) {
	l := &reader{asks: asks}
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 1<<16), maxLine)
	scanner.Split(scanFullLines)
	crc, counts := crc32.New(crc32.MakeTable(crc32.Castagnoli)), sha256.New()
	line := 0
	for scanner.Scan() {
		line++
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		text := scanner.Text()
		fields := strings.SplitN(text, "\t", MaxFields+1)
		if len(fields) > MaxFields {
			return nil, &LineError{line, fmt.Errorf("%w: more than %d fields", count.ErrInvalid, MaxFields)}
		}
		if err := l.line(line, fields, crc.Sum32()); l.other != nil {
			return nil, l.other
		} else if err != nil {
			return nil, &LineError{line, err}
		}
		io.WriteString(crc, text+"\n")
		if !slices.Contains(notCounts, fields[0]) {
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

// scanFullLines is bufio.ScanLines, but a carriage return stays and a last line
// without its end is given as it is.
func scanFullLines(data []byte, atEOF bool) (int, []byte, error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

func (l *reader) line(n int, f []string, crc uint32) error {
	if l.ended {
		return fmt.Errorf("%w: something follows the end", count.ErrInvalid)
	}
	if (n == 1) != (f[0] == "polya-dump") {
		return fmt.Errorf("%w: not a polya dump", count.ErrInvalid)
	}
	switch f[0] {
	case "polya-dump":
		l.tags = len(f) == 3 && f[2] == ofTags
		if len(f) != 2 && !l.tags || f[1] != Version {
			return fmt.Errorf("%w: dump of another version, this program reads %s", count.ErrInvalid, Version)
		}
		return nil
	case "analyzer":
		return l.analyzer(f)
	case "vocabulary":
		return parseNumbers(f[1:], &l.vocab)
	case "epoch":
		return l.pruned(f)
	case "class":
		return l.class(f)
	case "dropped":
		return l.dropped(f)
	case "lengths":
		return l.lengths(f)
	case "term":
		return l.term(f)
	case "attribute":
		return l.attribute(f)
	case "value":
		return l.value(f)
	case "document", "digest":
		return l.listed(f)
	case "end":
		return l.end(f, crc)
	}
	return fmt.Errorf("%w: unknown line %.20q", count.ErrInvalid, f[0])
}

func parseNumbers(fields []string, into ...*uint64) error {
	if len(fields) != len(into) {
		return fmt.Errorf("%w: want %d numbers", count.ErrInvalid, len(into))
	}
	for i, f := range fields {
		n, err := strconv.ParseUint(f, 10, 62)
		if err != nil {
			return fmt.Errorf("%w: %.20q is not a count", count.ErrInvalid, f)
		}
		*into[i] = n
	}
	return nil
}

func (l *reader) analyzer(f []string) error {
	if len(f) != 2 {
		return fmt.Errorf("%w: want one analyzer", count.ErrInvalid)
	}
	spec, ok := Unescape(f[1])
	if !ok {
		return fmt.Errorf("%w: bad escape", count.ErrInvalid)
	}
	l.analyzed = true
	l.other = l.asks(spec, l.tags)
	return nil
}

func (l *reader) class(f []string) error {
	if len(f) != 5 {
		return fmt.Errorf("%w: want a class with three counts", count.ErrInvalid)
	}
	name, ok := Unescape(f[1])
	if !ok || count.CheckClassName(name) != nil || !utf8.ValidString(name) {
		return fmt.Errorf("%w: class name %.40q", count.ErrInvalid, f[1])
	}
	c := count.Class{Name: name}
	err := parseNumbers(f[2:], &c.Docs, &c.Tokens, &c.Weight)
	l.out.Counts.Classes = append(l.out.Counts.Classes, c)
	return err
}

// pruned reads the epoch of a dump that has epochs of rows and digests.
func (l *reader) pruned(f []string) error {
	if err := parseNumbers(f[1:], &l.out.Counts.Epoch); err != nil || l.out.Counts.Epoch >= stored.LostEpoch || l.epochs || l.classes() > 0 {
		return fmt.Errorf("%w: want one epoch before the classes", count.ErrInvalid)
	}
	l.epochs = true
	return nil
}

// classes returns how many classes were read.
func (l *reader) classes() int { return len(l.out.Counts.Classes) }

// lastClass returns the class that a line is about, which may be none.
func (l *reader) lastClass() (*count.Class, error) {
	if l.classes() == 0 {
		return nil, fmt.Errorf("%w: counts without a class", count.ErrInvalid)
	}
	return &l.out.Counts.Classes[l.classes()-1], nil
}

// dropped reads the counts of dropped terms of a class.
func (l *reader) dropped(f []string) error {
	c, err := l.lastClass()
	if err != nil {
		return err
	}
	again := c.Dropped > 0 || c.DroppedWeight > 0
	if err := parseNumbers(f[1:], &c.Dropped, &c.DroppedWeight); err != nil {
		return err
	}
	if again || c.Dropped == 0 && c.DroppedWeight == 0 {
		return fmt.Errorf("%w: dropped tokens of class %q", count.ErrInvalid, c.Name)
	}
	return nil
}

func (l *reader) lengths(f []string) error {
	c, err := l.lastClass()
	for _, field := range f[1:] {
		length, number, _ := strings.Cut(field, ":")
		var p count.Pair
		if err == nil {
			err = parseNumbers([]string{length, number}, &p.N, &p.Count)
		}
		if err != nil {
			return err
		}
		c.Lengths = append(c.Lengths, p)
	}
	return err
}

func (l *reader) term(f []string) error {
	if len(f) < 3 {
		return fmt.Errorf("%w: a term without counts", count.ErrInvalid)
	}
	term, ok := Unescape(f[1])
	if !ok || term == "" || len(term) > count.MaxTermBytes {
		return fmt.Errorf("%w: term %.40q", count.ErrInvalid, f[1])
	}
	if !count.OfChannel([]byte(term)) {
		l.terms++
	}
	epoch, f, err := l.rowEpoch(f[2:])
	if err != nil {
		return err
	}
	var cells []table.Cell
	for _, field := range f {
		cell, err := l.cell(field)
		if err != nil {
			return err
		}
		cells = append(cells, cell)
	}
	if table.Check(cells) != nil {
		return fmt.Errorf("%w: term %.40q has counts that no documents give, or classes out of order", count.ErrInvalid, term)
	}
	l.out.Counts.AddRow([]byte(term), epoch, cells)
	return nil
}

// rowEpoch reads the epoch at the start of the counts of a term, if it is there.
func (l *reader) rowEpoch(f []string) (uint64, []string, error) {
	epoch, found := strings.CutPrefix(f[0], "@")
	if !found {
		return 0, f, nil
	}
	n, err := l.epoch(epoch)
	if err != nil || n > l.out.Counts.Epoch || len(f) == 1 {
		return 0, nil, fmt.Errorf("%w: a term of epoch %.20q", count.ErrInvalid, epoch)
	}
	return n, f[1:], nil
}

// epoch reads an epoch, which must be above 0, since 0 is not written.
func (l *reader) epoch(field string) (n uint64, err error) {
	err = parseNumbers([]string{field}, &n)
	if err == nil && (!l.epochs || n == 0 || n > l.out.Counts.Epoch && n != stored.LostEpoch) {
		err = count.ErrInvalid
	}
	return n, err
}

// cell reads "class=W,U0,U1,…".
func (l *reader) cell(field string) (table.Cell, error) {
	head, levels, ok1 := strings.Cut(field, ",")
	number, weight, ok2 := strings.Cut(head, "=")
	var class uint64
	c := table.Cell{}
	if err := parseNumbers([]string{number, weight}, &class, &c.W); err != nil || !ok1 || !ok2 || class >= uint64(l.classes()) {
		return c, fmt.Errorf("%w: counts %.40q", count.ErrInvalid, field)
	}
	c.Class = uint32(class)
	for level := range strings.SplitSeq(levels, ",") {
		u, err := strconv.ParseUint(level, 10, 32)
		if err != nil || len(c.U) >= count.MaxCount {
			return c, fmt.Errorf("%w: counts %.40q", count.ErrInvalid, field)
		}
		c.U = append(c.U, uint32(u))
		c.TF += u
	}
	c.DF = uint64(c.U[0])
	return c, nil
}

func (l *reader) end(f []string, crc uint32) error {
	l.ended = true
	if len(f) != 2 || f[1] != fmt.Sprintf("%08x", crc) {
		return fmt.Errorf("%w: checksum %08x is not the one at the end", count.ErrInvalid, crc)
	}
	if l.terms != l.vocab {
		return fmt.Errorf("%w: %d terms, the vocabulary is %d", count.ErrInvalid, l.terms, l.vocab)
	}
	if !l.analyzed {
		return fmt.Errorf("%w: the dump names no analyzer", count.ErrInvalid)
	}
	for i := range l.out.Counts.Attributes {
		l.out.Counts.Attributes[i].Reach()
	}
	if l.out.Counts.Check() != nil {
		return fmt.Errorf("%w: counts that no documents give", count.ErrInvalid)
	}
	return nil
}
