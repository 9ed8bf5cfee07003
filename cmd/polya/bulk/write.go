package bulk

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/tally"
	"github.com/polya-classifier/polya/tokenize"
)

// The parts of a dump are files, and one after the other they are the dump: its head, terms
// by range, attributes, documents by range of their ids unless there is no ledger, and its end.

// attributes is the number of the part with the attributes.
func (t *Training) attributes() int { return 1 + t.Shards }

// parts is the number of parts.
func (t *Training) parts() int {
	if t.Ledger == count.LedgerNone {
		return t.attributes() + 2
	}
	return t.attributes() + t.Shards + 2
}

// PartName names a part of the dump with this prefix. Names are in the order of parts.
func (t *Training) PartName(prefix string, part int) string {
	return fmt.Sprintf("%s-%05d-of-%05d", prefix, part, t.parts())
}

// End names the last part of the dump with this prefix, which is written last.
func (t *Training) End(prefix string) string { return t.PartName(prefix, t.parts()-1) }

// Written is a part that Write has written.
type Written struct {
	Part int
	tally.Section
}

// Write writes a part of the dump, given in portions that come in any order.
func (t *Training) Write(part int, portions iter.Seq[[]byte], to io.Writer) (*Written, error) {
	sum := tally.New()
	var documents []tally.Document
	for data := range portions {
		var p portion
		err := decode(data, &p)
		if err == nil && len(p.Counts) > 0 {
			err = sum.Join(p.Counts)
		}
		for i := 0; err == nil && i < len(p.Documents); i++ {
			var d tally.Document
			d, err = tally.Parse(p.Documents[i].Class, p.Documents[i].Data)
			documents = append(documents, d)
		}
		if err != nil {
			return nil, fmt.Errorf("part %d: %w", part, err)
		}
	}
	w := sum.Writer(to)
	if err := w.Terms(); err != nil {
		return nil, err
	}
	slices.SortFunc(documents, func(a, b tally.Document) int {
		x, y := a.ID(), b.ID()
		return bytes.Compare(x[:], y[:])
	})
	for i := range documents {
		w.Document(t.Ledger, &documents[i])
	}
	section, err := w.Close()
	return &Written{part, section}, err
}

// Result is what a training in steps has come to. It is plain data.
type Result struct {
	Documents int // of the dump
	Classes   int
	Learned   int
	Moved     int
	Already   int
	Errors    []string // documents that were not learned as intended
	Notes     []string
	Failed    string // why there is no dump
}

// Finish writes the parts of the dump that Write has not written, the end last, and returns
// the result. create makes a file that appears when it is whole. The error is that of create.
func (t *Training) Finish(inputs int, reports []*Report, settled []*Settled, written []*Written, create func(part int, write func(io.Writer) error) error) (*Result, error) {
	slices.SortFunc(reports, func(a, b *Report) int { return cmp.Compare(a.Input.Number, b.Input.Number) })
	slices.SortFunc(settled, func(a, b *Settled) int { return cmp.Compare(a.Shard, b.Shard) })
	result := new(Result)
	for _, r := range reports {
		result.Errors, result.Notes = append(result.Errors, r.Errors...), append(result.Notes, r.Notes...)
	}
	for _, s := range settled {
		result.Errors = append(result.Errors, s.Errors...)
		result.Learned, result.Moved, result.Already = result.Learned+s.Learned, result.Moved+s.Moved, result.Already+s.Already
	}
	if note := repeats(settled); note != "" {
		result.Notes = append(result.Notes, "note: "+note+"\n")
	}
	sections := make([]tally.Section, t.parts()-1)
	sum := tally.New()
	failed := cmp.Or(t.complete(inputs, reports, settled, written), Agree(reports))
	for _, s := range settled {
		if s.Failed != "" {
			failed = cmp.Or(failed, error(failure(s.Failed)))
		}
		if failed == nil {
			failed = sum.Join(s.Counts)
		}
	}
	if failed == nil && result.Learned == 0 {
		failed = failure("no documents were learned, and there is no dump")
	}
	if failed != nil {
		result.Failed = failed.Error()
		return result, nil
	}
	terms := uint64(0)
	for _, w := range written {
		sections[w.Part] = w.Section
		terms += w.Terms
	}
	for _, c := range sum.Classes() {
		result.Documents += int(c.Docs)
		result.Classes++
	}
	analyzer, err := tokenize.New(t.Analyzer)
	if err != nil {
		return nil, err
	}
	part := func(part int, write func(w *tally.Writer) error) error {
		return create(part, func(to io.Writer) error {
			w := sum.Writer(to)
			err := write(w)
			section, closed := w.Close()
			sections[part] = section
			return cmp.Or(err, closed)
		})
	}
	err = part(0, func(w *tally.Writer) error { w.Head(analyzer.Spec(), t.tags(), terms); return nil })
	if err == nil {
		err = part(t.attributes(), (*tally.Writer).Attributes)
	}
	if err != nil {
		return nil, err
	}
	return result, create(t.parts()-1, func(to io.Writer) error {
		_, err := io.WriteString(to, tally.End(sections...))
		return err
	})
}

// failure is an error that a worker has reported.
type failure string

func (f failure) Error() string { return string(f) }

// complete returns an error unless all inputs were read, all shards settled and all parts
// written, each once.
func (t *Training) complete(inputs int, reports []*Report, settled []*Settled, written []*Written) error {
	each := len(reports) == inputs && len(settled) == t.Shards && len(written) == t.parts()-3
	documents := 0
	for i, r := range reports {
		each = each && r.Input.Number == i
		documents += r.Documents
	}
	for i, s := range settled {
		each = each && s.Shard == i
		documents -= s.Documents
	}
	parts := map[int]bool{}
	for _, w := range written {
		each = each && !parts[w.Part] && w.Part > 0 && w.Part < t.parts()-1
		parts[w.Part] = true
	}
	if each && documents == 0 {
		return nil
	}
	return fmt.Errorf("the runner has lost something, or done it twice: of %d inputs there are %d reports, of %d shards %d, of %d parts %d, and %d documents are in no shard",
		inputs, len(reports), t.Shards, len(settled), t.parts()-3, len(written), documents)
}
