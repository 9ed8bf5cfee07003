// Crash proves by faults that the store loses nothing that it has acknowledged:
//
//	go run ./benchmarks/crash -states 12000 -kills 1000 -dir /dev/shm -seed 1
//
// Loss of power: a process that trains, merges, compacts, backs up, loads and prunes is
// recorded down to its system calls, and the possible contents of a disk after a power
// failure are reconstructed for any moment: every prefix of the writes, and any part, torn
// or whole, of the writes that no sync had covered (package power). Kill -9: such processes
// are killed at random moments, and the next continues with the same file. Each file is
// opened, checked, and compared with what the process had acknowledged (package work).
//
// The tables go to standard output. The exit code is 1 if anything was lost, doubled,
// half there or damaged, or if a disk that loses syncs is not found to lose
// documents, since then nothing was tested.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/polya-classifier/polya/benchmarks/crash/work"
)

type options struct {
	states, kills int
	dir           string
	seed          uint64
	workers       int
}

func main() {
	work.Main()
	var o options
	flag.IntVar(&o.states, "states", 12000, "open `N` states of the disk after a loss of power")
	flag.IntVar(&o.kills, "kills", 1000, "kill `N` processes")
	flag.StringVar(&o.dir, "dir", "", "`FOLDER` for the files; best is one in memory, such as /dev/shm")
	flag.Uint64Var(&o.seed, "seed", 1, "draw everything but the moments of kills from `N`")
	flag.IntVar(&o.workers, "j", runtime.NumCPU(), "look at `N` states at a time")
	flag.Parse()
	if flag.NArg() > 0 || o.states < 0 || o.kills < 0 || o.workers < 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := o.run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "crash:", err)
		os.Exit(1)
	}
}

var errFaults = errors.New("something was lost, doubled, half there or damaged: see the table")

// run tries the faults and writes the tables to w.
func (o options) run(w io.Writer) error {
	dir, err := os.MkdirTemp(o.dir, "crash-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	o.dir = dir
	var total tally
	if o.states > 0 {
		t, err := o.losePower(w)
		if err != nil {
			return err
		}
		total.add(t)
		if err := o.lostSyncs(w); err != nil {
			return err
		}
	}
	if o.kills > 0 {
		t, err := o.kill(w)
		if err != nil {
			return err
		}
		total.add(t)
	}
	fmt.Fprintf(w, "\n%d faults tried, %d states opened: %d lost, %d doubled, %d half, %d damaged; %.0f CPU seconds\n", total.tried, total.opened,
		total.faults[work.Lost], total.faults[work.Doubled], total.faults[work.Half], total.faults[work.Damaged], cpuSeconds())
	for _, e := range total.examples {
		fmt.Fprintln(w, e)
	}
	if total.wrong() > 0 {
		return errFaults
	}
	return nil
}
