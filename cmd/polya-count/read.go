package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"

	"github.com/klauspost/compress/s2"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/learning"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// input is one of the paths.
type input struct {
	Number int // its index
	Path   string
}

// report is the result of reading one path.
type report struct {
	Input     input
	Documents int
	Errors    []string
	Notes     []string
	Kinds     map[string]count.Kind // of attributes whose kind no flag states
	Uses      map[string]corpus.Use // of columns of strings
}

// pack has documents of one input and one shard, in the order of reading.
type pack struct {
	Paths []string // that name them
	Delta []byte   // which learns them
}

// packBytes is the approximate size of the documents that travel at once.
const packBytes = 1 << 20

// read calls emit with the documents at in, packed by shard. They are read from the file or folder
// at in.Path or, unless that is nil, from. Reading an input twice gives the same packs. The errors
// of single documents are in the report.
func (t *training) read(ctx context.Context, in input, from io.Reader, emit func(shard int, pack []byte)) (*report, error) {
	var notes bytes.Buffer
	r, err := t.reader(&notes)
	if err != nil {
		return nil, err
	}
	if from != nil {
		r.Options.Stdin, r.Options.StdinPath = from, in.Path
		if strings.HasSuffix(in.Path, parquetSuffix) {
			r.Options.Format = corpus.JSONL
		}
	}
	labels := learning.Labels{Class: t.Class, Tags: t.Tags}
	found := &report{Input: in}
	packs := make([]packing, t.Shards)
	for shard := range packs {
		packs[shard].emit = func(pack []byte) { emit(shard, pack) }
	}
	r.Deliver = func(d *reading.Document) error {
		class, ok := labels.Of(d)
		if !ok {
			return nil
		}
		found.Documents++
		shard, _ := bits.Mul64(binary.BigEndian.Uint64(d.ID[:8]), uint64(t.Shards))
		return packs[shard].add(in.Number, d.Path, class, t.learnable(d))
	}
	if err := r.Read(ctx, []string{in.Path}); err != nil {
		return nil, err
	}
	for shard := range packs {
		if err := packs[shard].flush(in.Number); err != nil {
			return nil, err
		}
	}
	for _, err := range append(r.Failed, labels.Failed...) {
		found.Errors = append(found.Errors, err.Error())
	}
	r.Attributes.Note(r.Streams)
	found.Notes = slices.Collect(strings.Lines(notes.String()))
	found.Kinds, found.Uses = r.Attributes.Decided()
	return found, nil
}

// reader returns what reads documents to learn, and writes its notes to notes.
func (t *training) reader(notes io.Writer) (*reading.Reader, error) {
	analyzer, err := tokenize.New(t.Analyzer)
	if err != nil {
		return nil, err
	}
	attributes, err := reading.NewAttributes(t.Kinds, t.Attributes)
	if err != nil {
		return nil, err
	}
	attributes.Learns = true
	return &reading.Reader{
		Streams: &terminal.Streams{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: notes},
		Options: t.Options, Folders: t.Folders, Learns: true, Sorts: true, Analyzer: analyzer, Attributes: attributes,
	}, attributes.MeetDatabase(nil)
}

// learnable returns d with the source and the time that it is learned with.
func (t *training) learnable(d *reading.Document) classify.Document {
	doc := d.Learnable(t.Source)
	doc.Time = t.At
	if t.Dated {
		if at := learning.Dated(d); !at.IsZero() {
			doc.Time = at
		}
	}
	return doc
}

// packing collects documents for one shard.
type packing struct {
	emit   func(pack []byte)
	paths  []string
	batch  classify.Batch
	number uint32 // of the next pack
}

// add adds a document of an input, and flushes once there are many.
func (p *packing) add(input int, path, class string, doc classify.Document) error {
	if err := p.batch.Train(class, doc); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if p.paths = append(p.paths, path); p.batch.Delta().Size() < packBytes {
		return nil
	}
	return p.flush(input)
}

// flush emits the documents, if there are any: after the numbers of input and pack, by which packs are
// sorted, compressed to half, since a runner copies many times what passes between machines.
func (p *packing) flush(input int) error {
	if len(p.paths) == 0 {
		return nil
	}
	delta, err := p.batch.Delta().MarshalBinary()
	if err != nil {
		return err
	}
	var plain bytes.Buffer
	err = gob.NewEncoder(&plain).Encode(pack{p.paths, delta})
	at := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(make([]byte, 0, plain.Len()/2), uint32(input)), p.number)
	p.paths, p.number = p.paths[:0], p.number+1
	p.batch.Reset()
	p.emit(append(at, s2.Encode(nil, plain.Bytes())...))
	return err
}

func unpack(data []byte) (p pack, err error) {
	plain, err := s2.Decode(nil, data[8:])
	if err == nil {
		err = gob.NewDecoder(bytes.NewReader(plain)).Decode(&p)
	}
	return p, err
}
