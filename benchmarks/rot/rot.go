// Package rot damages databases and checks whether the damage is detected: bits are
// flipped, bytes and pages zeroed, pages copied, swapped and restored to older states,
// files truncated. Each trial opens the damaged file, reads all of it, checks it, dumps it,
// learns a document and forgets one. The damage must be reported, or every answer must
// equal the healthy file's; nothing may panic, fault, or run for ever.
//
// The healthy files, which are made by chance, stay in the scratch folder, so that a trial
// can be repeated there: rot -first 1234 -trials 1 -seed 1 -scratch FOLDER -v.
package rot

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"time"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

// Run is the measure. It fails if a trial did, and names it.
func Run(_ context.Context, args []string) {
	f := harness.Flags("rot [flags]")
	trials := f.Int("trials", 100000, "how many trials")
	first := f.Int("first", 0, "number of the first trial")
	seed := f.Uint64("seed", 1, "seed of all trials")
	scratch := f.String("scratch", filepath.Join(os.TempDir(), "rot"), "folder for the files, best in memory")
	jobs := f.Int("j", 2, "processes at a time")
	verbose := f.Bool("v", false, "print every trial")
	child := f.Bool("child", false, "run the trials here and print them: what a process of a run does")
	harness.Parse(f, args, 0, 0)
	harness.Check(os.MkdirAll(*scratch, 0o700))
	files := Make(*scratch)
	if *child {
		serve(files, *scratch, *seed, *first, *trials)
		return
	}
	t := table{counts: map[string]map[string]int{}, verbose: *verbose}
	harness.Each((*trials+share-1)/share, *jobs, func(i int) {
		t.runShare(*scratch, *seed, *first+i*share, min(share, *trials-i*share))
	})
	t.print()
	if len(t.bad) > 0 {
		harness.Failf("%d trials failed", len(t.bad))
	}
}

// share is the number of trials per process: resources that bbolt keeps after a panic are
// freed with the process.
const share = 2000

// line is a process's output for a trial.
type line struct {
	Trial    int
	Kind     string
	Reported string
	Older    bool
	What     string
	Bad      string
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
func serve(files []*File, scratch string, seed uint64, first, trials int) {
	debug.SetMaxStack(maxStack)
	path := filepath.Join(scratch, fmt.Sprintf("trial-%d.polya", os.Getpid()))
	defer os.Remove(path)
	lines := json.NewEncoder(os.Stdout)
	for n := first; n < first+trials; n++ {
		f, d := Choose(files, seed, n)
		done := make(chan Result, 1)
		go func() { done <- Try(f, path, f.Data, d) }()
		result, ended := await(done)
		if !ended {
			result.Bad = "hang: it takes too long, or too much memory"
		}
		harness.Check(lines.Encode(line{n, d.Kind, result.Reported, result.Older, fmt.Sprintf("%s, %s: ", f.Name, d.What), result.Bad}))
		if !ended {
			os.Remove(path)
			os.Exit(3)
		}
	}
}

func await(done <-chan Result) (Result, bool) {
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
				return Result{}, false
			}
		}
	}
}

// columns are the results of trials.
var columns = []string{"trials", "at open", "by a read", "by check", "unaffected", "an earlier state", "silent", "panics", "hangs", "other"}

// table counts trials.
type table struct {
	verbose bool

	mu     sync.Mutex
	counts map[string]map[string]int // by kind of damage, or all, and column
	bad    []line
}

// runShare runs trials in one process, and continues in others after the trial at which
// it died.
func (t *table) runShare(scratch string, seed uint64, first, count int) {
	for end := first + count; first < end; {
		cmd := exec.Command(harness.Must(os.Executable()), "rot", "-child", "-first", fmt.Sprint(first), "-trials", fmt.Sprint(end-first),
			"-seed", fmt.Sprint(seed), "-scratch", scratch)
		var said bytes.Buffer
		cmd.Stderr = &said
		out := harness.Must(cmd.StdoutPipe())
		harness.Check(cmd.Start())
		lines, began, hung := bufio.NewScanner(out), false, false
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var l line
			harness.Check(json.Unmarshal(lines.Bytes(), &l))
			t.add(l)
			first, began, hung = l.Trial+1, true, strings.HasPrefix(l.Bad, "hang")
		}
		io.Copy(io.Discard, out)
		if err := cmd.Wait(); err != nil && !hung {
			if strings.HasPrefix(said.String(), "rot: ") && !began {
				harness.Failf("%s", bytes.TrimSpace(said.Bytes())) // it could not begin
			}
			t.add(line{Trial: first, Kind: "?", Bad: fmt.Sprintf("the process died: %v: %.2000s", err, said.Bytes())})
			first++
		}
	}
}

func (t *table) add(l line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.Bad != "" {
		t.bad = append(t.bad, l)
	}
	if l.Bad != "" || t.verbose {
		fmt.Fprintf(os.Stderr, "trial %d, %s, %s%s%s\n", l.Trial, l.Kind, l.What, l.Reported, l.Bad)
	}
	column := "unaffected"
	switch bad, _, _ := strings.Cut(l.Bad, ":"); {
	case bad == "silent":
		column = bad
	case bad == "panic", bad == "the process died":
		column = "panics"
	case bad == "hang":
		column = "hangs"
	case bad != "":
		column = "other"
	case l.Reported != "":
		column = map[string]string{"open": "at open", "read": "by a read", "check": "by check"}[l.Reported]
	case l.Older:
		column = "an earlier state"
	}
	for _, kind := range []string{l.Kind, "all"} {
		if t.counts[kind] == nil {
			t.counts[kind] = map[string]int{}
		}
		t.counts[kind]["trials"]++
		t.counts[kind][column]++
	}
}

func (t *table) print() {
	harness.Head(append([]string{"damage"}, columns...)...)
	for _, kind := range append(Kinds(), "?", "all") {
		if counts := t.counts[kind]; counts != nil {
			row := []any{kind}
			for _, column := range columns {
				row = append(row, counts[column])
			}
			harness.Row(row...)
		}
	}
}
