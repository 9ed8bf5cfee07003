package main

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/polya-classifier/polya/benchmarks/crash/work"
	"github.com/polya-classifier/polya/internal/power"
	"github.com/polya-classifier/polya/store/count"
)

// statesOfOne is the number of states of one recording that are opened, before the next
// recording.
const statesOfOne = 1000

// planOf returns the plan of trial n: all ledgers, with one and with several trainers.
func (o *options) planOf(n int) work.Plan {
	return work.Plan{
		Seed:     o.seed*1000 + uint64(n),
		Trainers: []int{1, 1, 3, 1, 2, 4}[n%6],
		Ledger:   []count.Ledger{count.LedgerFull, count.LedgerFull, count.LedgerDigest, count.LedgerNone}[n%4],
	}
}

// recorded is a recording and its properties.
type recorded struct {
	*power.Recording
	plan  work.Plan
	model *work.Model
}

// record runs a process of the plan in a folder of its own.
func (o *options) record(plan work.Plan, steps int) (*recorded, error) {
	job := work.Job{Plan: plan, Folder: filepath.Join(o.dir, "recorded"), Scratch: filepath.Join(o.dir, "scratch"), Steps: steps}
	for _, folder := range []string{job.Folder, job.Scratch} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			return nil, err
		}
		defer os.RemoveAll(folder)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self)
	cmd.Env = job.Environment()
	r, err := power.Record(cmd, job.Folder, power.Options{})
	if err != nil {
		return nil, err
	}
	model, done := work.NewModel(plan), make([]int, plan.Trainers)
	for i := range r.Events {
		if r.Events[i].Kind == power.Ack {
			if err := model.Acks(done, r.Events[i].Data); err != nil {
				return nil, err
			}
		}
	}
	if slices.Min(done) < steps {
		return nil, fmt.Errorf("%s: only %v steps were acknowledged", plan, done)
	}
	model.Look(done)
	return &recorded{r, plan, model}, nil
}

// count returns the number of events of these kinds.
func (r *recorded) count(kinds ...power.Kind) (n int) {
	for i := range r.Events {
		if slices.Contains(kinds, r.Events[i].Kind) {
			n++
		}
	}
	return n
}

// losePower replays recordings until enough states were opened, and writes a row for
// each.
func (o *options) losePower(w io.Writer) (total tally, err error) {
	fmt.Fprintf(w, "\nloss of power\n\n| workload | steps | system calls | writes | syncs | renames | states | after a prefix | reordered | lost | doubled | half | damaged |\n|%s\n",
		strings.Repeat(" --- |", 13))
	for n := 0; total.opened < o.states; n++ {
		plan := o.planOf(n)
		steps := max(40/plan.Trainers, 15)
		r, err := o.record(plan, steps)
		if err != nil {
			return total, err
		}
		trial := replay{recorded: r, dir: o.dir, workers: o.workers, random: rand.New(rand.NewPCG(plan.Seed, 1))}
		if err := trial.run(min(statesOfOne, o.states-total.opened)); err != nil {
			return total, err
		}
		t := &trial.tally
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d |\n", plan, steps*plan.Trainers, r.Calls,
			r.count(power.Write), r.count(power.Sync, power.SyncFolder), r.count(power.Rename, power.Link),
			t.opened, trial.prefixes, t.opened-trial.prefixes, t.faults[work.Lost], t.faults[work.Doubled], t.faults[work.Half], t.faults[work.Damaged])
		total.add(*t)
	}
	return total, nil
}

// errBlind says that the trials do not find existing errors.
var errBlind = errors.New("a disk that does not sync was not found to lose documents: the trials find nothing")

// lostSyncs replays a recording on a disk that does not sync files, and on one that does
// not sync folders: both must be detected.
func (o *options) lostSyncs(w io.Writer) error {
	r, err := o.record(o.planOf(0), 40)
	if err != nil {
		return err
	}
	for _, trial := range []replay{{losesSyncs: true}, {losesFolderSyncs: true}} {
		trial.recorded, trial.dir, trial.workers = r, o.dir, o.workers
		trial.random = rand.New(rand.NewPCG(o.seed, 2))
		if err := trial.run(200); err != nil {
			return err
		}
		lost := "files"
		if trial.losesFolderSyncs {
			lost = "names"
		}
		f := &trial.faults
		fmt.Fprintf(w, "\na disk that does not sync %s: %d states opened, %d lost, %d doubled, %d half, %d damaged, as it must be\n",
			lost, trial.opened, f[work.Lost], f[work.Doubled], f[work.Half], f[work.Damaged])
		if f[work.Lost] == 0 {
			return errBlind
		}
	}
	return nil
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

// moment is a state to open: after so many events, with the pending writes as in choice.
type moment struct {
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
func (r *replay) run(states int) error {
	r.seen = map[uint64]bool{}
	for range mostRounds {
		if missing := states - r.opened; missing > 0 {
			if err := r.round(r.moments(missing)); err != nil {
				return err
			}
		}
	}
	return nil
}

// moments draws moments in order.
func (r *replay) moments(n int) []moment {
	var unsure []int // when something is pending
	disk := r.disk()
	for i := 1; disk.Next() != nil; i++ {
		if disk.Pending() > 0 {
			unsure = append(unsure, i)
		}
	}
	var drawn []moment
	prefixes := r.random.Perm(len(r.Events))
	for _, i := range prefixes[:min((n+1)/2, len(prefixes))] {
		drawn = append(drawn, moment{i + 1, power.All, true})
	}
	for len(drawn) < n {
		m := moment{after: unsure[r.random.IntN(len(unsure))], choice: power.None}
		if r.random.IntN(8) > 0 {
			m.choice = power.Draw(r.random)
		}
		drawn = append(drawn, m)
	}
	slices.SortStableFunc(drawn, func(a, b moment) int { return cmp.Compare(a.after, b.after) })
	return drawn
}

func (r *replay) disk() *power.Disk {
	d := power.NewDisk(r.Recording)
	d.LosesSyncs, d.LosesFolderSyncs = r.losesSyncs, r.losesFolderSyncs
	return d
}

// round opens the states of the moments that were not seen yet.
func (r *replay) round(moments []moment) error {
	work := make(chan opening)
	var all sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for n := range r.workers {
		all.Go(func() {
			for s := range work {
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
		work <- s
	})
	close(work)
	all.Wait()
	return failed
}

// each calls f with the states of the moments, which are in order.
func (r *replay) each(moments []moment, f func(s opening, prefix bool)) {
	disk, acked := r.disk(), make([]int, r.plan.Trainers)
	for after := 1; len(moments) > 0; after++ {
		if e := disk.Next(); e.Kind == power.Ack {
			if err := r.model.Acks(acked, e.Data); err != nil {
				panic(err) // it was read before
			}
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
