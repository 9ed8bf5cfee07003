package crash

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// ackFunc is called with each acknowledgement.
type ackFunc func(line []byte) error

func (f ackFunc) Write(b []byte) (int, error) { return len(b), f(b) }

// snapshot copies the files of a job, which are in use.
func snapshot(t *testing.T, j Job) string {
	t.Helper()
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(j.Folder)); err != nil {
		t.Fatal(err)
	}
	return copied
}

// Without any fault a file holds what is in the model after every step, whatever the
// ledger keeps, and neither what was before nor what comes.
func TestModelHolds(t *testing.T) {
	for i, ledger := range []count.Ledger{count.LedgerFull, count.LedgerDigest, count.LedgerNone} {
		t.Run(ledger.String(), func(t *testing.T) {
			t.Parallel()
			p := Plan{Seed: uint64(i + 10), Trainers: 1, Ledger: ledger}
			j := Job{Plan: p, Folder: t.TempDir(), Scratch: t.TempDir(), Steps: len(deck) + 5}
			m, done, kinds := NewModel(p), []int{0}, map[string]bool{}
			err := j.Run(ackFunc(func(line []byte) error {
				if err := m.Acks(done, line); err != nil {
					return err
				}
				m.Look(done)
				kinds[m.Next(0, done[0]-1)] = true
				if random := rand.IntN(3); random > 0 {
					return nil // the copy takes longer than the step
				}
				reached, err := m.Holds(snapshot(t, j), done, true)
				if err == nil && reached[0] != done[0] && m.moments[0][done[0]].sums != m.moments[0][done[0]+1].sums {
					err = fmt.Errorf("it holds %d steps", reached[0])
				}
				return err
			}))
			if err != nil {
				t.Error(err)
			}
			for _, name := range kindNames {
				if !kinds[name] && (name != "prune" || ledger != count.LedgerNone) {
					t.Errorf("no step was of the kind %s", name)
				}
			}
		})
	}
}

// What a file must not be is told apart.
func TestModelFaults(t *testing.T) {
	t.Parallel()
	p := Plan{Seed: 7, Trainers: 1, Ledger: count.LedgerNone}
	var taken string
	const steps = 30
	j := Job{Plan: p, Folder: t.TempDir(), Scratch: t.TempDir(), Steps: steps}
	m := NewModel(p)
	m.Look([]int{steps})
	at := 8 // the next step changes no count
	for !slices.Contains([]string{"state", "backup", "compact", "prune", "reopen", "copy"}, m.Next(0, at)) {
		at++
	}
	err := j.Run(ackFunc(func(line []byte) error {
		if string(line) == fmt.Sprintf("0 %d\n", at) {
			taken = snapshot(t, j)
		}
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Holds(j.Folder, []int{steps}, false); err != nil {
		t.Error(err)
	}
	mustFault := func(want Fault, folder string, acked int) {
		t.Helper()
		var f *FaultError
		if _, err := m.Holds(folder, []int{acked}, false); !errors.As(err, &f) || f.Fault != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	mustFault(Lost, taken, steps)
	mustFault(Lost, t.TempDir(), steps)
	path := filepath.Join(taken, DatabaseName)
	change := func(f func(d *store.Delta) error) {
		t.Helper()
		db, err := store.Open(path, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var d store.Delta
		err = f(&d)
		if err == nil {
			_, err = db.Apply(&d)
		}
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	again := newTrainer(&p, 0).document(0, 0)
	change(func(d *store.Delta) error { return d.Add(again) })
	mustFault(Doubled, taken, at)
	// As many documents as there were, and not the same ones.
	change(func(d *store.Delta) error {
		other := again
		other.Terms = other.Terms[:len(other.Terms)-1]
		return errors.Join(d.Take(again), d.Add(other), d.Take(again))
	})
	mustFault(Half, taken, at)
	if err := os.Truncate(path, 9000); err != nil {
		t.Fatal(err)
	}
	mustFault(Damaged, taken, at)
}
