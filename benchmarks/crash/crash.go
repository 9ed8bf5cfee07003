// Package crash shows by faults that the store loses nothing that it has acknowledged.
//
// A workload, a Plan, is drawn from a seed: one or several trainers learn, move and forget
// documents of their own, one by one and hundreds at once, merge and load other databases,
// keep positions and state, rename and delete classes, drop terms, compact, back up and
// copy. A process does it (Job.Run) and acknowledges each step when the store has returned.
// A Model goes through the same steps in memory, without the store. A file is correct if
// it holds, for each trainer, exactly the result of its acknowledged steps, or of these and
// the whole next one.
//
// Loss of power: such a process is recorded down to its system calls, and the possible
// contents of a disk after a power failure are reconstructed for any moment: every prefix
// of the writes, and any part, torn or whole, of the writes that no sync had covered
// (package power). Kill -9: processes are killed at random moments, and the next continues
// with the same file. Each file is opened, checked, and compared with the model.
package crash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/store/count"
)

type options struct {
	states, kills int
	dir           string
	seed          uint64
	workers       int
}

// Run is the measure. It fails if anything was lost, doubled, half there or damaged, or if
// a disk that loses syncs is not found to lose documents, since then nothing was tested.
func Run(_ context.Context, args []string) {
	var o options
	f := harness.Flags("crash [flags]")
	f.IntVar(&o.states, "states", 12000, "open `N` states of the disk after a loss of power")
	f.IntVar(&o.kills, "kills", 1000, "kill `N` processes")
	dir := f.String("dir", "", "`FOLDER` for the files; best is one in memory, such as /dev/shm")
	f.Uint64Var(&o.seed, "seed", 1, "draw everything but the moments of kills from `N`")
	f.IntVar(&o.workers, "j", runtime.NumCPU(), "look at `N` states at a time")
	harness.Parse(f, args, 0, 0)
	var remove func()
	o.dir, remove = harness.Scratch(*dir)
	defer remove()
	var total tally
	if o.states > 0 {
		total.add(o.losePower(os.Stdout))
		o.lostSyncs(os.Stdout)
	}
	if o.kills > 0 {
		total.add(o.kill(os.Stdout))
	}
	fmt.Printf("\n%d states opened, %s; %.0f CPU seconds\n", total.opened, &total, (harness.CPU() + harness.ChildrenCPU()).Seconds())
	for _, e := range total.examples {
		fmt.Println(e)
	}
	if total.wrong() > 0 {
		harness.Failf("something was lost, doubled, half there or damaged: see the table")
	}
}

// planOf returns the plan of trial n: all ledgers, with one and with several trainers.
func (o *options) planOf(n int) Plan {
	return Plan{
		Seed:     o.seed*1000 + uint64(n),
		Trainers: []int{1, 1, 3, 1, 2, 4}[n%6],
		Ledger:   []count.Ledger{count.LedgerFull, count.LedgerFull, count.LedgerDigest, count.LedgerNone}[n%4],
	}
}

// tally counts opened files and their faults.
type tally struct {
	opened   int
	faults   [Damaged + 1]int
	examples []error
}

// mostExamples is the number of faults that are described.
const mostExamples = 5

func (t *tally) add(other tally) {
	t.opened += other.opened
	for f, n := range other.faults {
		t.faults[f] += n
	}
	t.examples = append(t.examples, other.examples...)
	t.examples = t.examples[:min(len(t.examples), mostExamples)]
}

// see counts the outcome of one state. It returns an error that is not a fault of
// the file.
func (t *tally) see(err error) error {
	t.opened++
	var fault *FaultError
	if err != nil && !errors.As(err, &fault) {
		return err
	}
	if err != nil {
		t.faults[fault.Fault]++
		t.examples = append(t.examples, err)[:min(len(t.examples)+1, mostExamples)]
	}
	return nil
}

func (t *tally) wrong() (n int) {
	for _, faults := range t.faults {
		n += faults
	}
	return n
}

// String names the faults and how many there were.
func (t *tally) String() string {
	return fmt.Sprintf("%d lost, %d doubled, %d half, %d damaged", t.faults[Lost], t.faults[Doubled], t.faults[Half], t.faults[Damaged])
}

// cells are the last four of a row.
func (t *tally) cells() string {
	return fmt.Sprintf("%d | %d | %d | %d |", t.faults[Lost], t.faults[Doubled], t.faults[Half], t.faults[Damaged])
}

// workFolders makes the folders of a job, which remove removes.
func (o *options) workFolders() (folder, scratch string, remove func()) {
	folder, one := harness.Scratch(o.dir)
	scratch, two := harness.Scratch(o.dir)
	return folder, scratch, func() { one(); two() }
}
