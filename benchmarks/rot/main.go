// Rot damages databases and checks whether the damage is detected: bits are flipped,
// bytes and pages zeroed, pages copied, swapped and restored to older states, files
// truncated. Each trial opens the damaged file, reads all of it, checks it, dumps it,
// learns a document and forgets one. The damage must be reported, or every answer must
// equal the healthy file's; nothing may panic, fault, or run for ever.
//
//	go run ./benchmarks/rot -trials 100000 -seed 1 -scratch /dev/shm/rot -j 2
//
// It prints a table, and exits with 1 if a trial failed, naming the trials. The healthy
// files, which are made by chance, stay in the scratch folder, so that a trial can be
// repeated there:
//
//	go run ./benchmarks/rot -first 1234 -trials 1 -seed 1 -scratch /dev/shm/rot -v
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/polya-classifier/polya/benchmarks/rot/trial"
)

type options struct {
	trials, first, jobs int
	seed                uint64
	scratch             string
	verbose, child      bool
}

func main() {
	var o options
	flag.IntVar(&o.trials, "trials", 100000, "how many trials")
	flag.IntVar(&o.first, "first", 0, "number of the first trial")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of all trials")
	flag.StringVar(&o.scratch, "scratch", filepath.Join(os.TempDir(), "rot"), "folder for the files, best in memory")
	flag.IntVar(&o.jobs, "j", 2, "processes at a time")
	flag.BoolVar(&o.verbose, "v", false, "print every trial")
	flag.BoolVar(&o.child, "child", false, "run the trials here and print them: what a process of a run does")
	flag.Parse()
	if err := os.MkdirAll(o.scratch, 0o700); err != nil {
		fatal(err)
	}
	files, err := trial.Make(o.scratch)
	if err != nil {
		fatal(err)
	}
	if o.child {
		serve(&o, files)
		return
	}
	start := time.Now()
	table := newTable()
	runAll(&o, table)
	table.print(os.Stdout)
	for _, f := range files {
		fmt.Printf("%s: %d KB\n", f.Name, len(f.Data)>>10)
	}
	fmt.Printf("%d trials in %.0f s\n", table.trials(), time.Since(start).Seconds())
	if table.failed() {
		os.Exit(1)
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, cannotBegin+err.Error())
	os.Exit(2)
}

const (
	// patience is how long a trial may take: it needs some milliseconds, on a busy
	// machine some seconds.
	patience = 5 * time.Minute

	// maxHeap is the memory that the trials may take: one megabyte each is enough.
	maxHeap = 1 << 30

	// maxStack ends an infinite recursion before it takes all memory.
	maxStack = 64 << 20
)

// serve runs trials and prints a line for each. It ends the process at one that takes
// too long or too much.
func serve(o *options, files []*trial.File) {
	debug.SetMaxStack(maxStack)
	path := filepath.Join(o.scratch, fmt.Sprintf("trial-%d.polya", os.Getpid()))
	defer os.Remove(path)
	for n := o.first; n < o.first+o.trials; n++ {
		f, d := trial.Choose(files, o.seed, n)
		done := make(chan trial.Result, 1)
		go func() { done <- trial.Run(f, path, f.Data, d) }()
		result, ok := await(done)
		if !ok {
			result.Bad = "hang: it takes too long, or too much memory"
		}
		print(line{n, d.Kind, result.Reported, result.Older, fmt.Sprintf("%s, %s: ", f.Name, d.What), result.Bad})
		if !ok {
			os.Remove(path)
			os.Exit(3)
		}
	}
}

func await(done <-chan trial.Result) (trial.Result, bool) {
	deadline := time.Now().Add(patience)
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case r := <-done:
			return r, true
		case now := <-tick.C:
			metrics.Read(heap)
			if now.After(deadline) || heap[0].Value.Uint64() > maxHeap {
				return trial.Result{}, false
			}
		}
	}
}
