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
)

func init() {
	register.DoFn4x1[context.Context, int, func(int, []byte), func(int, []byte), error](&loading{})
	register.DoFn4x1[context.Context, int, func(*[]byte) bool, func(int, []byte), error](&settling{})
	register.DoFn3x1[context.Context, int, func(*[]byte) bool, error](&finishing{})
	register.Emitter2[int, []byte]()
	register.Iter1[[]byte]()
}

// counting returns the pipeline: it reads paths, brings documents together by id, and writes a
// database of those of each range of ids. What passes between workers are packs of about 1 MB, since
// an element of its own costs more than a document.
//
// A runner may run any part twice, and discards the output of a part that failed. All output
// is a function of the input, and a file that is written again is the same database.
func counting(t *training, paths []string) *beam.Pipeline {
	of, _ := json.Marshal(t) // it is plain data
	numbers := make([]any, len(paths))
	for i := range numbers {
		numbers[i] = i
	}
	p, s := beam.NewPipelineWithRoot()
	packs, reports := beam.ParDo2(s, &loading{of, paths}, beam.Reshuffle(s, beam.Create(s, numbers...)))
	shards := beam.ParDo(s, &settling{of}, beam.GroupByKey(s, packs))
	beam.ParDo0(s, &finishing{of, len(paths)}, beam.GroupByKey(s, beam.Flatten(s, reports, shards)))
	return p
}

// found is what a step says to the last.
type found struct {
	Report  *report  `json:",omitempty"`
	Settled *settled `json:",omitempty"`
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

// plan is a training on its way to a worker: Beam has no schema for all that a training has.
type plan []byte

func (p plan) training() *training {
	t := new(training)
	if err := json.Unmarshal(p, t); err != nil {
		panic(err) // counting has written it
	}
	return t
}

// loading reads inputs.
type loading struct {
	Plan  plan
	Paths []string
}

// ProcessElement gives packs of the documents of a path by range of ids, and a report.
func (l *loading) ProcessElement(ctx context.Context, number int, pack, report func(int, []byte)) error {
	turns <- true
	defer func() { <-turns }()
	t, in := l.Plan.training(), input{number, l.Paths[number]}
	from, err := open(ctx, t, in.Path)
	if err != nil {
		r, w := io.Pipe()
		w.CloseWithError(err) // the other inputs are learned
		from = r
	}
	if from != nil {
		defer from.Close()
	}
	read, err := t.read(ctx, in, from, pack)
	if err != nil {
		return err
	}
	return tell(found{Report: read}, report)
}

// settling makes the database of a range of ids.
type settling struct{ Plan plan }

// ProcessElement learns the documents of packs.
func (s *settling) ProcessElement(ctx context.Context, shard int, packs func(*[]byte) bool, report func(int, []byte)) error {
	turns <- true
	defer func() { <-turns }()
	t := s.Plan.training()
	settled, err := t.settle(ctx, shard, all(packs), func(write func(io.Writer) error) error {
		return create(ctx, t.shardName(shard), write)
	})
	if err != nil {
		return err
	}
	return tell(found{Settled: settled}, report)
}

// finishing writes the empty database and the report.
type finishing struct {
	Plan   plan
	Inputs int
}

// ProcessElement writes them if all others have done their part.
func (f *finishing) ProcessElement(ctx context.Context, _ int, founds func(*[]byte) bool) error {
	var reports []*report
	var shards []*settled
	for data := range all(founds) {
		var one found
		if err := json.Unmarshal(data, &one); err != nil {
			return err
		}
		switch {
		case one.Report != nil:
			reports = append(reports, one.Report)
		case one.Settled != nil:
			shards = append(shards, one.Settled)
		}
	}
	t := f.Plan.training()
	result := t.result(f.Inputs, reports, shards)
	err := create(ctx, t.reportName(), func(to io.Writer) error { return json.NewEncoder(to).Encode(result) })
	if err != nil || result.Failed != "" {
		return err
	}
	db, err := t.open()
	if err != nil {
		return err
	}
	defer db.Close()
	return create(ctx, t.targetName(), func(to io.Writer) error { _, err := db.Backup(ctx, to); return err })
}

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
