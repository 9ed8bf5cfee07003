package store

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/internal/power"
	"github.com/polya-classifier/polya/internal/raced"
)

// A loss of power at any moment of training loses no document that was acknowledged and
// leaves none in part, with tables so small that every few trainings merge.
func TestPowerLoss(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	raced.Skip(t)
	t.Parallel()
	// A batch is whole or not there.
	next := func(n int) int {
		if n%97 == 50 {
			return n + 45
		}
		return n + 1
	}
	losePower(t, "POLYA_STORE_TRAIN", 60, func(path string, acked int) {
		if n := mustHold(t, path, acked); n != acked && n != next(acked) {
			t.Errorf("%d documents, %d were acknowledged", n, acked)
		}
	})
}

// The same while terms are dropped: the file is the old one or the new one.
func TestPowerLossPrune(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	losePower(t, "POLYA_STORE_PRUNE", 25, func(path string, acked int) {
		db, err := Open(path, tuned(t, Options{}))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if n := int(mustCheck(t, db).Documents); n != acked && n != acked+1 {
			t.Errorf("%d documents, %d were acknowledged", n, acked)
		}
		mustHoldNoOrphans(t, db)
	})
}

// losePower records the process that variable starts until it has acknowledged so often,
// and calls hold with files of what the disk may have when the power fails, and with the
// number acknowledged before.
func losePower(t *testing.T, variable string, acks int, hold func(path string, acked int)) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := tempDB(t)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), variable+"="+path)
	r, err := power.Record(cmd, filepath.Dir(path), acks)
	if errors.Is(err, power.ErrUnsupported) || errors.Is(err, power.ErrNotPermitted) && os.Getenv("CI") == "" {
		t.Skipf("a loss of power cannot be tried here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	disk, acked, states, folder := power.NewDisk(r), 0, 0, t.TempDir()
	for e := disk.Next(); e != nil && !t.Failed(); e = disk.Next() {
		if e.Kind == power.Ack {
			if acked, err = strconv.Atoi(strings.TrimSpace(string(e.Data))); err != nil {
				t.Fatal(string(e.Data))
			}
		}
		choices := []power.Choice{power.All, power.None, power.Draw(random)}
		if disk.Pending() == 0 {
			choices = choices[:1]
		}
		for _, c := range choices {
			if random.IntN(6) > 0 {
				continue // a sixth of them takes long enough
			}
			states++
			state := filepath.Join(folder, "state")
			if err := power.Put(state, disk.Left(c)); err != nil {
				t.Fatal(err)
			}
			hold(filepath.Join(state, filepath.Base(path)), acked)
			if err := os.RemoveAll(state); err != nil {
				t.Fatal(err)
			}
		}
	}
	if states < 80 {
		t.Errorf("only %d states were opened", states)
	}
}
