package store

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
)

// While some train and terms are dropped again and again, every snapshot is of
// before or after a prune: rows, totals and vocabulary agree.
func TestConcurrentPrune(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	db := open(t, tempDB(t), Options{})
	var done atomic.Bool
	var all, learners sync.WaitGroup
	for r := range 3 {
		all.Go(func() {
			for !done.Load() {
				err := db.View(func(s *Snapshot) error {
					n, err := look(s)
					if again, err2 := look(s); err == nil && (err2 != nil || again != n) {
						err = fmt.Errorf("a second look: %d documents after %d, %v", again, n, err2)
					}
					return err
				})
				if err != nil {
					t.Errorf("reader %d: %v", r, err)
					return
				}
			}
		})
	}
	for k := range 3 {
		learners.Go(func() {
			for i := range 60 {
				var d Delta
				d.Add(twin(k*1000000+i, []string{"ham", "spam"}[i%2]))
				if i%7 == 3 && i%5 != 0 {
					d.Relabel(twin(k*1000000+i-3, "").ID, "work")
				}
				if i%5 == 4 {
					d.Forget(twin(k*1000000+i-2, "").ID)
				}
				if _, err := db.Apply(&d); err != nil {
					t.Errorf("trainer %d: %v", k, err)
					return
				}
			}
		})
	}
	prunes := 0
	all.Go(func() {
		for ; !done.Load(); prunes++ {
			_, err := db.Prune(context.Background(), false, func(term []byte, _ []count.Cell) bool {
				n, err := strconv.Atoi(string(term[1:]))
				return err == nil && n%5 == prunes%5 // of a pair both or none
			})
			if err != nil {
				t.Errorf("prune: %v", err)
				return
			}
			time.Sleep(3 * time.Millisecond)
		}
	})
	learners.Wait()
	done.Store(true)
	all.Wait()
	if r := mustCheck(t, db); prunes < 3 || r.Documents != 3*(60-12) {
		t.Errorf("%d documents after %d prunes", r.Documents, prunes)
	}
}

// pruneUntilKilled learns documents and drops terms in turn, and prints the
// number of documents that are on the disk.
func pruneUntilKilled(path string) {
	u := small
	u.minTail, u.minMerge, u.minTable = 16, 1, 2<<10
	db, err := Open(path, Options{tuning: &u})
	for i := uint64(0); err == nil; i++ {
		n := uint64(0)
		db.View(func(s *Snapshot) error { n = s.Documents(); return nil })
		var d Delta
		d.Add(sample(int(n), []string{"ham", "spam"}[n%2]))
		if _, err = db.Apply(&d); err == nil && i%3 == 0 {
			_, err = db.Prune(context.Background(), false, everyThird(3, int(n/3%3)))
		}
		fmt.Println(n + 1)
	}
	fmt.Println("error", err)
	os.Exit(1)
}

// A process that is killed while it drops terms leaves a database that checks
// clean, has every document that it said is learned, and forgets each of them.
func TestKillPrune(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	raced.Skip(t)
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := tempDB(t)
	learned, halves := 0, 0
	for life := 0; life < 40 || life < 400 && (learned < 50 || halves == 0); life++ {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "POLYA_STORE_PRUNE="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill := func() {
			time.AfterFunc(time.Duration(10+rand.IntN(60))*time.Millisecond, func() { cmd.Process.Kill() })
		}
		if life%2 == 0 {
			kill()
		}
		first := true
		for lines := bufio.NewScanner(out); lines.Scan(); first = false {
			if first && life%2 == 1 {
				kill()
			}
			if learned, err = strconv.Atoi(strings.TrimSpace(lines.Text())); err != nil {
				t.Fatal(lines.Text())
			}
		}
		cmd.Wait()
		left, _ := filepath.Glob(path + ".compact-*")
		halves += len(left)
		for _, name := range left {
			os.Remove(name)
		}
		db, err := Open(path, tuned(t, Options{}))
		if err != nil {
			t.Fatal(err)
		}
		if r := mustCheck(t, db); int(r.Documents) < learned {
			t.Fatalf("%d documents of %d that were acknowledged", r.Documents, learned)
		}
		mustHoldNoOrphans(t, db)
		db.Close()
	}
	if learned < 50 || halves == 0 {
		t.Errorf("%d documents were learned, %d prunes were interrupted: too little was tried", learned, halves)
	}
	db := open(t, path, Options{})
	var d Delta
	db.View(func(s *Snapshot) error {
		return s.Entries(func(e *Entry) error { d.Forget(e.ID); return nil })
	})
	if _, err := db.Apply(&d); err != nil {
		t.Fatal(err)
	}
	mustEqualModel(t, db, &model{})
}
