package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/polya-classifier/polya/cmd/internal/outfile"
	"github.com/polya-classifier/polya/cmd/polya/bulk"
)

func init() {
	register.DoFn4x1[context.Context, []byte, func(int, []byte), func(int, []byte), error](&reading{})
	register.DoFn4x1[int, func(*[]byte) bool, func(int, []byte), func(int, []byte), error](&settling{})
	register.DoFn4x1[context.Context, int, func(*[]byte) bool, func(int, []byte), error](&writing{})
	register.DoFn3x1[context.Context, int, func(*[]byte) bool, error](&finishing{})
	register.Emitter2[int, []byte]()
	register.Iter1[[]byte]()
}

// job is what all steps know.
type job struct {
	Training *bulk.Training
	Out      string // prefix of the files
	Inputs   int
}

// counting returns the pipeline: it reads paths, brings documents together by id, counts those
// of each range of ids, brings the counts together by term, and writes a dump. What passes
// between workers are packs of about 1 MB, since an element of its own costs more than a term.
//
// A runner may run any part twice, and discards the output of a part that failed. All output
// is a function of the input, and a file that is written again has the same bytes.
func counting(training *bulk.Training, paths []string, out string) (*beam.Pipeline, error) {
	var inputs []any
	for i, path := range paths {
		data, err := json.Marshal(bulk.Input{Number: i, Path: path})
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, data)
	}
	j := job{training, out, len(paths)}
	p, s := beam.NewPipelineWithRoot()
	read := beam.Reshuffle(s, beam.Create(s, inputs...))
	packs, reports := beam.ParDo2(s, &reading{j}, read)
	portions, settled := beam.ParDo2(s, &settling{j}, beam.GroupByKey(s, packs))
	written := beam.ParDo(s, &writing{j}, beam.GroupByKey(s, portions))
	beam.ParDo0(s, &finishing{j}, beam.GroupByKey(s, beam.Flatten(s, reports, settled, written)))
	return p, nil
}

// found is what a step says to the last.
type found struct {
	Report  *bulk.Report  `json:",omitempty"`
	Settled *bulk.Settled `json:",omitempty"`
	Written *bulk.Written `json:",omitempty"`
}

// tell emits a found, all under one key.
func tell(f found, emit func(int, []byte)) error {
	data, err := json.Marshal(f)
	if err == nil {
		emit(0, data)
	}
	return err
}

// turns limits the parts in memory at once to the number of processors: prism starts all.
var turns = make(chan bool, runtime.GOMAXPROCS(0))

// turn waits for a turn, which ends when the caller calls end.
func turn() (end func()) {
	turns <- true
	return func() { <-turns }
}

// reading reads an input.
type reading struct{ Job job }

// ProcessElement gives packs of documents by range of ids, and a report.
func (r *reading) ProcessElement(ctx context.Context, data []byte, pack, report func(int, []byte)) error {
	defer turn()()
	var in bulk.Input
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	from, err := open(ctx, r.Job.Training, in.Path)
	if err != nil {
		from = io.NopCloser(unreadable{err}) // the other inputs are learned
	}
	if from != nil {
		defer from.Close()
	}
	read, err := r.Job.Training.Read(ctx, in, from, func(shard int, data []byte) error {
		pack(shard, data)
		return nil
	})
	if err != nil {
		return err
	}
	return tell(found{Report: read}, report)
}

// unreadable is a file that cannot be read.
type unreadable struct{ error }

// Read returns the error.
func (u unreadable) Read([]byte) (int, error) { return 0, u.error }

// settling counts the documents of a range of ids.
type settling struct{ Job job }

// ProcessElement gives the counts and the documents by part of the dump.
func (s *settling) ProcessElement(shard int, packs func(*[]byte) bool, portion, report func(int, []byte)) error {
	defer turn()()
	settled, err := s.Job.Training.Settle(shard, all(packs), func(part int, data []byte) error {
		portion(part, data)
		return nil
	})
	if err != nil {
		return err
	}
	return tell(found{Settled: settled}, report)
}

// writing writes a part of the dump.
type writing struct{ Job job }

// ProcessElement writes the part with these portions.
func (w *writing) ProcessElement(ctx context.Context, part int, portions func(*[]byte) bool, report func(int, []byte)) error {
	defer turn()()
	var written *bulk.Written
	err := create(ctx, w.Job.Training.PartName(w.Job.Out, part), func(to io.Writer) (err error) {
		written, err = w.Job.Training.Write(part, all(portions), to)
		return err
	})
	if err != nil {
		return err
	}
	return tell(found{Written: written}, report)
}

// finishing writes the first and the last part of the dump, and the report.
type finishing struct{ Job job }

// ProcessElement writes them if all others have done their part.
func (f *finishing) ProcessElement(ctx context.Context, _ int, founds func(*[]byte) bool) error {
	var reports []*bulk.Report
	var settled []*bulk.Settled
	var written []*bulk.Written
	for data := range all(founds) {
		var one found
		if err := json.Unmarshal(data, &one); err != nil {
			return err
		}
		switch {
		case one.Report != nil:
			reports = append(reports, one.Report)
		case one.Settled != nil:
			settled = append(settled, one.Settled)
		case one.Written != nil:
			written = append(written, one.Written)
		}
	}
	t := f.Job.Training
	result, err := t.Finish(f.Job.Inputs, reports, settled, written, func(part int, write func(io.Writer) error) error {
		return create(ctx, t.PartName(f.Job.Out, part), write)
	})
	if err != nil {
		return err
	}
	return create(ctx, reportName(f.Job.Out), func(to io.Writer) error { return json.NewEncoder(to).Encode(result) })
}

func reportName(out string) string { return out + ".report" }

// all converts an iterator of Beam.
func all(next func(*[]byte) bool) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var data []byte
		for next(&data) {
			if !yield(data) {
				return
			}
		}
	}
}

// isURL reports whether a file system of Beam other than the local one has the path.
func isURL(path string) bool { return strings.Contains(path, "://") }

// expand returns the files that a pattern matches, or the pattern itself if there are none.
// Local paths become absolute: workers have another working directory.
func expand(ctx context.Context, pattern string) (paths []string, err error) {
	if isURL(pattern) {
		fs, err := filesystem.New(ctx, pattern)
		if err != nil {
			return nil, err
		}
		defer fs.Close()
		paths, err = fs.List(ctx, pattern)
		if err == nil && len(paths) == 0 {
			err = errors.New("no such file")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pattern, err)
		}
		return paths, nil
	}
	paths, err = filepath.Glob(pattern)
	if _, missing := os.Lstat(pattern); missing == nil || err != nil || len(paths) == 0 {
		paths = []string{pattern} // a file name, or unreadable
	}
	for i := range paths {
		if paths[i], err = filepath.Abs(paths[i]); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

// create writes a file that appears when it is whole, or replaces one that an earlier try of
// the same part has made. On a local disk only its owner can read it, as it has words of
// documents.
func create(ctx context.Context, path string, write func(io.Writer) error) error {
	if !isURL(path) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		return outfile.Write(path, "", true, write)
	}
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return err
	}
	defer fs.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // so that half a file is not kept
	to, err := fs.OpenWrite(ctx, path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	err = write(to)
	if err != nil {
		cancel()
	}
	if closed := to.Close(); err == nil && closed != nil {
		return fmt.Errorf("%s: %w", path, closed)
	}
	return err
}
