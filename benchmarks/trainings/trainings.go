//go:build linux

// Package trainings measures how long single trainings take, each on disk before it
// returns, while the database grows from empty. After the last message it begins again,
// with other IDs. In one run models are fitted in the background, which is the default of
// the library, and in one not at all. The third row is the disk alone: 1 KB and fdatasync.
// The wall time of a training includes the effect of other programs on the machine; the
// CPU time of the training thread, measured with one caller, does not.
package trainings

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/mail"
)

// Run is the measure.
func Run(ctx context.Context, args []string) {
	f := harness.Flags("trainings [flags] [CORPUS]")
	n := f.Int("n", 20_000, "`N` trainings")
	callers := f.Int("callers", 1, "goroutines that train")
	dir := f.String("dir", "", "where the databases are, on the disk that is to be measured; $TMPDIR by default")
	corpus := append(harness.Parse(f, args, 0, 1), "")[0]
	run(ctx, harness.Shuffled(harness.Folders(corpus), 1), *n, *callers, *dir)
}

func run(ctx context.Context, docs []harness.Document, n, callers int, dir string) {
	dir, remove := harness.Scratch(dir)
	defer remove()
	harness.Head(fmt.Sprintf("%d messages, %d callers", len(docs), callers), "a second", "wall ms: p50", "p99", "p99.9", "longest",
		"own thread's CPU ms: p50", "p99", "p99.9", "longest", "process's CPU ms each", "load average")
	for _, fitting := range []classify.Fitting{classify.FitBehind, classify.FitByHand} {
		name := map[classify.Fitting]string{classify.FitBehind: "fitted behind", classify.FitByHand: "not fitted"}[fitting]
		c := harness.Must(classify.Open(filepath.Join(dir, name), classify.Options{Fitting: fitting}))
		read := make([]classify.Document, len(docs)) // before the clock starts
		for i, d := range docs {
			read[i] = mail.Document(c, d.Raw)
		}
		measure(name, n, callers, func(i int) {
			d := read[i%len(docs)]
			d.ID[0] ^= byte(i / len(docs))
			d.ID[1] ^= byte(i / len(docs) >> 8)
			harness.Must(c.Train(ctx, docs[i%len(docs)].Class, d))
		})
		harness.Check(c.Close())
	}
	f := harness.Must(os.Create(filepath.Join(dir, "disk")))
	defer f.Close()
	measure("1 KB and fdatasync", n, callers, func(i int) {
		harness.Must(f.WriteAt(make([]byte, 1<<10), int64(i)<<10))
		harness.Check(syscall.Fdatasync(int(f.Fd())))
	})
}

// measure runs the steps 0 to n-1 from callers goroutines, and prints a row of the table.
func measure(name string, n, callers int, step func(i int)) {
	wall, thread := make([]float64, n), make([]float64, n)
	start, began := harness.CPU(), time.Now()
	harness.Each(n, callers, func(i int) {
		if callers == 1 { // many would wait for threads, and not for each other
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
		}
		own, began := harness.ThreadCPU(), time.Now()
		step(i)
		wall[i], thread[i] = harness.Milliseconds(time.Since(began)), harness.Milliseconds(harness.ThreadCPU()-own)
	})
	took, spent := time.Since(began), harness.CPU()-start
	cells := []any{name, harness.Number(float64(n)/took.Seconds(), 0)}
	for _, times := range [][]float64{wall, thread} {
		for _, q := range []float64{.5, .99, .999, 1} {
			text := "–"
			if callers == 1 || &times[0] == &wall[0] {
				text = harness.Number(harness.Quantile(times, q), 3)
			}
			cells = append(cells, text)
		}
	}
	harness.Row(append(cells, harness.Number(harness.Milliseconds(spent)/float64(n), 3), harness.Load())...)
}
