package crash

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/internal/power"
)

// statesOfOne is the number of states of one recording that are opened, before the next
// recording.
const statesOfOne = 1000

// recorded is a recording and its properties.
type recorded struct {
	*power.Recording
	plan  Plan
	model *Model
}

// record runs a process of the plan in a folder of its own.
func (o *options) record(plan Plan, steps int) *recorded {
	folder, scratch, remove := o.workFolders()
	defer remove()
	job := Job{Plan: plan, Folder: folder, Scratch: scratch, Steps: steps}
	r := harness.Must(power.Record(job.Command(), folder, 0))
	model, done := NewModel(plan), make([]int, plan.Trainers)
	for i := range r.Events {
		if r.Events[i].Kind == power.Ack {
			harness.Check(model.Acks(done, r.Events[i].Data))
		}
	}
	if slices.Min(done) < steps {
		harness.Failf("%s: only %v steps were acknowledged", plan, done)
	}
	model.Look(done)
	return &recorded{r, plan, model}
}

// losePower replays recordings until enough states were opened, and writes a row for
// each.
func (o *options) losePower(w io.Writer) (total tally) {
	fmt.Fprintf(w, "\nloss of power\n\n| workload | steps | system calls | states | after a prefix | reordered | lost | doubled | half | damaged |\n|%s\n",
		strings.Repeat(" --- |", 10))
	for n := 0; total.opened < o.states; n++ {
		plan := o.planOf(n)
		steps := max(40/plan.Trainers, 15)
		t := replay{recorded: o.record(plan, steps), dir: o.dir, workers: o.workers, random: rand.New(rand.NewPCG(plan.Seed, 1))}
		t.run(min(statesOfOne, o.states-total.opened))
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d | %s\n", plan, steps*plan.Trainers, t.Calls, t.opened, t.prefixes, t.opened-t.prefixes, t.cells())
		total.add(t.tally)
	}
	return total
}

// lostSyncs replays a recording on a disk that does not sync files, and on one that does
// not sync folders: both must be found to lose documents.
func (o *options) lostSyncs(w io.Writer) {
	r := o.record(o.planOf(0), 40)
	for what, trial := range map[string]*replay{"files": {losesSyncs: true}, "names": {losesFolderSyncs: true}} {
		trial.recorded, trial.dir, trial.workers = r, o.dir, o.workers
		trial.random = rand.New(rand.NewPCG(o.seed, 2))
		trial.run(200)
		fmt.Fprintf(w, "\na disk that does not sync %s: %d states opened, %s, as it must be\n", what, trial.opened, &trial.tally)
		if trial.faults[Lost] == 0 {
			harness.Failf("a disk that does not sync was not found to lose documents: the trials find nothing")
		}
	}
}

// replay opens states of one recording.
type replay struct {
	*recorded
	dir                          string
	workers                      int
	random                       *rand.Rand
	losesSyncs, losesFolderSyncs bool

	tally
	prefixes int
	seen     map[uint64]bool
}

// instant is a state to open: after so many events, with the pending writes as in choice.
type instant struct {
	after  int
	choice power.Choice
	prefix bool
}

// opening is a state to be opened.
type opening struct {
	files map[string][]byte
	acked []int
	goOn  bool
}

// mostRounds ends the search for states that were not seen yet.
const mostRounds = 10

// run opens states, half of them after a prefix of the events, until there were so many.
func (r *replay) run(states int) {
	r.seen = map[uint64]bool{}
	for range mostRounds {
		if missing := states - r.opened; missing > 0 {
			r.round(r.moments(missing))
		}
	}
}

// moments draws moments in order.
func (r *replay) moments(n int) []instant {
	var unsure []int // when something is pending
	disk := r.disk()
	for i := 1; disk.Next() != nil; i++ {
		if disk.Pending() > 0 {
			unsure = append(unsure, i)
		}
	}
	var drawn []instant
	prefixes := r.random.Perm(len(r.Events))
	for _, i := range prefixes[:min((n+1)/2, len(prefixes))] {
		drawn = append(drawn, instant{i + 1, power.All, true})
	}
	for len(drawn) < n {
		m := instant{after: unsure[r.random.IntN(len(unsure))], choice: power.None}
		if r.random.IntN(8) > 0 {
			m.choice = power.Draw(r.random)
		}
		drawn = append(drawn, m)
	}
	slices.SortStableFunc(drawn, func(a, b instant) int { return cmp.Compare(a.after, b.after) })
	return drawn
}

func (r *replay) disk() *power.Disk {
	d := power.NewDisk(r.Recording)
	d.LosesSyncs, d.LosesFolderSyncs = r.losesSyncs, r.losesFolderSyncs
	return d
}

// round opens the states of the moments that were not seen yet.
func (r *replay) round(moments []instant) {
	openings := make(chan opening)
	var all sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for n := range r.workers {
		all.Go(func() {
			for s := range openings {
				err := r.open(filepath.Join(r.dir, fmt.Sprintf("state-%d", n)), s)
				mu.Lock()
				failed = cmp.Or(failed, r.see(err))
				mu.Unlock()
			}
		})
	}
	r.each(moments, func(s opening, prefix bool) {
		if prefix {
			r.prefixes++
		}
		openings <- s
	})
	close(openings)
	all.Wait()
	harness.Check(failed)
}

// each calls f with the states of the moments, which are in order.
func (r *replay) each(moments []instant, f func(s opening, prefix bool)) {
	disk, acked := r.disk(), make([]int, r.plan.Trainers)
	for after := 1; len(moments) > 0; after++ {
		if e := disk.Next(); e.Kind == power.Ack {
			harness.Check(r.model.Acks(acked, e.Data))
		}
		for ; len(moments) > 0 && moments[0].after == after; moments = moments[1:] {
			files := disk.Left(moments[0].choice)
			hash := hashOf(files)
			for k, n := range acked {
				hash = hash*31 + uint64(k+1)*uint64(n)
			}
			if !r.seen[hash] {
				r.seen[hash] = true
				f(opening{files, slices.Clone(acked), hash%8 == 0}, moments[0].prefix)
			}
		}
	}
}

// open puts the files of a state into a folder and compares them with the model.
func (r *replay) open(folder string, s opening) error {
	defer os.RemoveAll(folder)
	if err := power.Put(folder, s.files); err != nil {
		return err
	}
	_, err := r.model.Holds(folder, s.acked, s.goOn)
	return err
}

var hashSeed = maphash.MakeSeed()

// hashOf returns a hash of files, valid within one process.
func hashOf(files map[string][]byte) uint64 {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		maphash.WriteComparable(&h, name)
		maphash.WriteComparable(&h, len(files[name]))
		h.Write(files[name])
	}
	return h.Sum64()
}
