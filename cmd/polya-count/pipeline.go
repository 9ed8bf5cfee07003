package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/polya-classifier/polya/cmd/polya/bulk"
)

func init() {
	register.DoFn4x1[context.Context, []byte, func(int, []byte), func(int, []byte), error](&reading{})
	register.DoFn3x1[int, func(*[]byte) bool, func(int, []byte), error](&sharding{})
	register.DoFn2x1[int, func(*[]byte) bool, error](&reporting{})
	register.Emitter2[int, []byte]()
	register.Iter1[[]byte]()
}

// counting returns the pipeline: it reads paths, distributes the changes of their documents
// to shards by document id, and writes each shard to a file in the folder work, which the
// workers share. One file lists the paths read and the shards. The runner passes on only
// names of files: prism holds what it passes on in memory, several times.
//
// A runner may run any part twice. It discards the output of a part that failed; files get
// the same names and the same contents again.
func counting(training *bulk.Training, paths []string, shards int, work string) (*beam.Pipeline, error) {
	var inputs []any
	for i, path := range paths {
		data, err := json.Marshal(bulk.Input{Number: i, Path: path})
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, data)
	}
	p, s := beam.NewPipelineWithRoot()
	read := beam.Reshuffle(s, beam.Create(s, inputs...))
	packs, reports := beam.ParDo2(s, &reading{Training: training, Shards: shards, Work: work}, read)
	written := beam.ParDo(s, &sharding{Work: work}, beam.GroupByKey(s, packs))
	beam.ParDo0(s, &reporting{Work: work}, beam.GroupByKey(s, beam.Flatten(s, reports, written)))
	return p, nil
}

// found is a report of the pipeline: a path that was read, or a shard that was written.
type found struct {
	Report *bulk.Report
	Shard  *int
	Number int // of documents in the shard
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

// reading reads a path.
type reading struct {
	Training *bulk.Training
	Shards   int
	Work     string
}

// ProcessElement writes packs of changes, gives their names by shard, and one report.
func (r *reading) ProcessElement(ctx context.Context, data []byte, pack, report func(int, []byte)) error {
	defer turn()()
	var in bulk.Input
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	packs := 0
	read, err := r.Training.Read(ctx, in, r.Shards, func(shard int, data []byte) error {
		name := fmt.Sprintf("pack-%d-%d", in.Number, packs)
		packs++
		pack(shard, []byte(name))
		return writeWhole(filepath.Join(r.Work, name), data)
	})
	if err != nil {
		return err
	}
	return tell(found{Report: read}, report)
}

// sharding writes a shard.
type sharding struct{ Work string }

// ProcessElement writes the shard of these packs.
func (w *sharding) ProcessElement(number int, packs func(*[]byte) bool, report func(int, []byte)) error {
	defer turn()()
	var failed error
	shard, err := bulk.NewShard(func(yield func([]byte) bool) {
		for name := range all(packs) {
			data, err := os.ReadFile(filepath.Join(w.Work, string(name)))
			if failed = err; err != nil || !yield(data) {
				return
			}
		}
	})
	if err := errors.Join(failed, err); err != nil {
		return err
	}
	data, err := shard.MarshalBinary()
	if err != nil {
		return err
	}
	if err := writeWhole(shardFile(w.Work, number), data); err != nil {
		return err
	}
	return tell(found{Shard: &number, Number: shard.Documents}, report)
}

// reporting writes the reports.
type reporting struct{ Work string }

// ProcessElement writes all reports into one file.
func (w *reporting) ProcessElement(_ int, founds func(*[]byte) bool) error {
	lines := slices.Collect(all(founds))
	return writeWhole(filepath.Join(w.Work, reportFile), append(bytes.Join(lines, []byte("\n")), '\n'))
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

const reportFile = "report.jsonl"

func shardFile(work string, number int) string {
	return filepath.Join(work, "shard-"+strconv.Itoa(number))
}

// writeWhole makes the file at path, or replaces one that an earlier try of the same part has
// made.
func writeWhole(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "part-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // unless it was renamed
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// readReport reads the reports, by path and by shard.
func readReport(work string, paths int) (reports []*bulk.Report, shards []found, err error) {
	data, err := os.ReadFile(filepath.Join(work, reportFile))
	if err != nil {
		return nil, nil, fmt.Errorf("the runner has ended without a result: %w", err)
	}
	for line := range bytes.Lines(data) {
		var f found
		if err := json.Unmarshal(line, &f); err != nil {
			return nil, nil, err
		}
		if f.Shard != nil {
			shards = append(shards, f)
		} else {
			reports = append(reports, f.Report)
		}
	}
	slices.SortFunc(reports, func(a, b *bulk.Report) int { return a.Input.Number - b.Input.Number })
	slices.SortFunc(shards, func(a, b found) int { return *a.Shard - *b.Shard })
	documents, each := 0, len(reports) == paths
	for i, r := range reports {
		each = each && r.Input.Number == i
		documents += r.Documents
	}
	for _, s := range shards {
		documents -= s.Number
	}
	if !each || documents != 0 {
		return nil, nil, fmt.Errorf("the runner has lost something, or done it twice: of %d paths there are %d reports, and %d documents are in no shard", paths, len(reports), documents)
	}
	return reports, shards, nil
}

// readShards yields the shards in order.
func readShards(work string, shards []found) iter.Seq2[*bulk.Shard, error] {
	return func(yield func(*bulk.Shard, error) bool) {
		for _, s := range shards {
			shard := new(bulk.Shard)
			data, err := os.ReadFile(shardFile(work, *s.Shard))
			if err == nil {
				err = shard.UnmarshalBinary(data)
			}
			if err == nil && shard.Documents != s.Number {
				err = fmt.Errorf("shard %d has %d documents, want %d", *s.Shard, shard.Documents, s.Number)
			}
			if !yield(shard, err) || err != nil {
				return
			}
		}
	}
}
