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
	"context"
	"fmt"
	"os"
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
	jobs := f.Int("j", 2, "trials at a time")
	verbose := f.Bool("v", false, "print every trial")
	harness.Parse(f, args, 0, 0)
	harness.Check(os.MkdirAll(*scratch, 0o700))
	files := Make(*scratch)
	debug.SetMaxStack(maxStack)
	t := table{counts: map[string]map[string]int{}, verbose: *verbose}
	harness.Each(*trials, *jobs, func(i int) {
		n := *first + i
		file, d := Choose(files, *seed, n)
		t.add(n, file, d, trial(file, d, filepath.Join(*scratch, fmt.Sprintf("trial-%d.polya", n))))
	})
	t.print()
	if t.bad > 0 {
		harness.Failf("%d trials failed", t.bad)
	}
}

const (
	// patience is how long a trial may take: it needs some milliseconds, on a busy
	// machine some seconds.
	patience = 5 * time.Minute

	// maxHeap is the memory that a trial, and others at the same time, may take: some megabytes
	// each are enough.
	maxHeap = 1 << 30

	// maxStack ends an infinite recursion before it takes all memory.
	maxStack = 64 << 20
)

// trial does one, in a file at path. One that hangs, or ends the process, leaves its file.
func trial(f *File, d Damage, path string) Result {
	defer time.AfterFunc(patience, func() { panic(path + ": it takes too long") }).Stop()
	before := allocated()
	r := Try(f, path, f.Data, d)
	if took := allocated() - before; took > maxHeap && r.Bad == "" {
		r.Bad = fmt.Sprintf("memory: it takes %d bytes", took)
	}
	return r
}

// allocated returns the bytes of memory that the process has taken so far.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// columns are the results of trials.
var columns = []string{"trials", "at open", "by a read", "by check", "unaffected", "an earlier state", "silent", "panics", "other"}

// table counts trials.
type table struct {
	verbose bool

	mu     sync.Mutex
	counts map[string]map[string]int // by kind of damage, or all, and column
	bad    int
}

func (t *table) add(n int, f *File, d Damage, r Result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r.Bad != "" {
		t.bad++
	}
	if r.Bad != "" || t.verbose {
		fmt.Fprintf(os.Stderr, "trial %d, %s, %s, %s: %s%s\n", n, d.Kind, f.Name, d.What, r.Reported, r.Bad)
	}
	column := "unaffected"
	switch bad, _, _ := strings.Cut(r.Bad, ":"); {
	case bad == "silent":
		column = bad
	case bad == "panic":
		column = "panics"
	case bad != "":
		column = "other"
	case r.Reported != "":
		column = map[string]string{"open": "at open", "read": "by a read", "check": "by check"}[r.Reported]
	case r.Older:
		column = "an earlier state"
	}
	for _, kind := range []string{d.Kind, "all"} {
		if t.counts[kind] == nil {
			t.counts[kind] = map[string]int{}
		}
		t.counts[kind]["trials"]++
		t.counts[kind][column]++
	}
}

func (t *table) print() {
	harness.Head(append([]string{"damage"}, columns...)...)
	for _, kind := range append(Kinds(), "all") {
		if counts := t.counts[kind]; counts != nil {
			row := []any{kind}
			for _, column := range columns {
				row = append(row, counts[column])
			}
			harness.Row(row...)
		}
	}
}
