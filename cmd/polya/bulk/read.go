package bulk

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/learning"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// Input is one of the paths of a training.
type Input struct {
	Number int // its index
	Path   string
}

// Report is the result of reading one path.
type Report struct {
	Input     Input
	Documents int
	Errors    []string
	Notes     []string
	Kinds     map[string]count.Kind // of attributes whose kind no flag states
	Uses      map[string]corpus.Use // of columns of strings
}

// Named is a document at its place in the training.
type Named struct {
	Input, Number int
	Path          string // where it came from
	GivenID       string
	Row           bool // it is one of a table
}

// pack has documents, in the order of reading.
type pack struct {
	Names  []Named
	Delta  []byte   // which learns them
	Sample []string // of the terms of the input
}

// packBytes is the approximate size of the documents that travel at once.
const packBytes = 1 << 20

// The first inputs, and so many terms of each, decide where ranges of terms begin.
const (
	sampledInputs = 64
	sampledTerms  = 256
)

// Read calls emit with the documents at in, packed by shard: a range of ids, of which there
// are t.Shards. They are read from the file or folder at in.Path or, unless that is nil, from.
// Reading an input twice gives the same packs. Read returns errors of emit and ctx; all others
// are in the Report.
func (t *Training) Read(ctx context.Context, in Input, from io.Reader, emit func(shard int, pack []byte) error) (*Report, error) {
	r, err := t.reader()
	if err != nil {
		return nil, err
	}
	var notes bytes.Buffer
	r.Streams = &terminal.Streams{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &notes}
	if from != nil {
		r.Options.Stdin, r.Options.StdinPath = from, in.Path
	}
	class, err := t.class()
	if err != nil {
		return nil, err
	}
	labels := learning.Labels{Class: class, Tags: t.tags()}
	report := &Report{Input: in}
	packs := make([]packing, t.Shards)
	sample := map[string]bool{}
	r.Deliver = func(d *reading.Document) error {
		class, ok := labels.Of(d)
		if !ok {
			return nil
		}
		doc := d.Learnable(t.Source)
		if doc.Time = t.At; t.Dated {
			if at := learning.Dated(d); !at.IsZero() {
				doc.Time = at
			}
		}
		to, _ := bits.Mul64(binary.BigEndian.Uint64(d.ID[:8]), uint64(t.Shards))
		p := &packs[to]
		if err := p.batch.Train(class, doc); err != nil {
			return fmt.Errorf("%s: %w", d.Path, err)
		}
		for i := 0; i < d.Bag.Len() && len(sample) < sampledTerms; i++ {
			term, _ := d.Bag.At(i)
			sample[string(term)] = true
		}
		p.names = append(p.names, Named{in.Number, report.Documents, d.Path, d.GivenID(), d.Row})
		report.Documents++
		if p.batch.Delta().Size() < packBytes {
			return nil
		}
		return p.emit(int(to), emit)
	}
	if err := r.Read(ctx, []string{in.Path}); err != nil {
		return nil, err
	}
	for to := range packs {
		if in.Number < sampledInputs { // and so each shard gets a pack, and is made
			packs[to].sample = slices.Sorted(maps.Keys(sample))
		} else if len(packs[to].names) == 0 {
			continue
		}
		if err := packs[to].emit(to, emit); err != nil {
			return nil, err
		}
	}
	for _, err := range append(r.Failed, labels.Failed...) {
		report.Errors = append(report.Errors, err.Error())
	}
	r.Attributes.Note(r.Streams)
	report.Notes = slices.Collect(strings.Lines(notes.String()))
	decided := r.Attributes.Decided()
	report.Kinds, report.Uses = decided.Kinds, decided.Uses
	return report, nil
}

// reader reads documents as a training does.
func (t *Training) reader() (*reading.Reader, error) {
	walk, err := t.walk()
	if err != nil {
		return nil, err
	}
	analyzer, err := tokenize.New(t.Analyzer)
	if err != nil {
		return nil, err
	}
	attributes, err := reading.NewAttributes(t.Kinds, t.Attributes)
	if err == nil {
		err = attributes.MeetDatabase(nil)
	}
	if err != nil {
		return nil, err
	}
	attributes.Learns = true
	return &reading.Reader{
		Options: walk, Folders: t.Folders, Learns: true, Sorts: true, Analyzer: analyzer, Attributes: attributes,
	}, nil
}

// class returns the class of all documents, "" if each has its own.
func (t *Training) class() (string, error) {
	if len(t.TagNames) > 0 {
		return count.TagSet(t.TagNames...)
	}
	return t.Class, nil
}

// packing collects documents for one shard.
type packing struct {
	names  []Named
	batch  classify.Batch
	sample []string
}

// emit passes the documents on.
func (p *packing) emit(shard int, to func(int, []byte) error) error {
	delta, err := p.batch.Delta().MarshalBinary()
	if err != nil {
		return err
	}
	data, err := encode(pack{p.names, delta, p.sample})
	if err != nil {
		return err
	}
	p.names = nil
	p.batch.Reset()
	return to(shard, data)
}

// Agree returns an error if reading paths separately gave another result than one training of
// all would: a training takes an attribute's kind from the first document that has it, and a
// string column's use from the first table.
func Agree(reports []*Report) error {
	kinds, uses := map[string]*Report{}, map[string]*Report{}
	for _, r := range reports {
		for _, name := range slices.Sorted(maps.Keys(r.Kinds)) {
			first := kinds[name]
			if first == nil {
				kinds[name] = r
			} else if a, b := first.Kinds[name], r.Kinds[name]; a != b {
				return fmt.Errorf("attribute %.40q is %s in %s and %s in %s: --kind %s=%s, or another, says which", name, a, first.Input.Path, b, r.Input.Path, name, a)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(r.Uses)) {
			first := uses[name]
			if first == nil {
				uses[name] = r
			} else if first.Uses[name] != r.Uses[name] {
				return fmt.Errorf("column %s is the text in one of %s and %s, and a category in the other: --text-column says which column is the text", name, first.Input.Path, r.Input.Path)
			}
		}
	}
	return nil
}
