package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/fault"
)

// operation is something that changes a database or writes from it.
type operation struct {
	name string
	run  func(db *DB) error
}

// operations are all that write. other is a database to merge.
func operations(t *testing.T, other *DB) []operation {
	text := dumpOf(t, other, true)
	target := filepath.Join(t.TempDir(), "backup")
	return []operation{
		{"train", deltaFor(addNew(1))},
		{"train few", deltaFor(addNew(10))},
		{"train many", deltaFor(addNew(40))},
		{"forget", deltaFor(func(d *Delta) { d.Forget(attributed(3, "").ID) })},
		{"relabel", deltaFor(func(d *Delta) { d.Relabel(attributed(4, "").ID, "work") })},
		{"keep state", func(db *DB) error { return db.PutState(map[string][]byte{"fit": []byte("x")}) }},
		{"rename a class", func(db *DB) error { return db.RenameClass("ham", "wanted") }},
		{"merge classes", func(db *DB) error { return db.MergeClass(context.Background(), "ham", "spam") }},
		{"delete a class", func(db *DB) error { return db.DeleteClass(context.Background(), "ham") }},
		{"merge", func(db *DB) error { _, err := db.Merge(context.Background(), MergeOptions{}, other); return err }},
		{"load", func(db *DB) error {
			_, err := db.Load(context.Background(), false, strings.NewReader(text))
			return err
		}},
		{"compact", func(db *DB) error { return db.Compact(t.Context()) }},
		{"prune", func(db *DB) error {
			_, err := db.Prune(context.Background(), false, func(term []byte, _ []count.Cell) bool { return term[len(term)-1] == '1' })
			return err
		}},
		{"backup", func(db *DB) error {
			f, err := os.Create(target)
			if err != nil {
				return db.fail(fault.Plain(err))
			}
			defer f.Close()
			_, err = db.Backup(t.Context(), f)
			return err
		}},
	}
}

// injection is which calls of an operation fail, and how.
type injection struct {
	errno syscall.Errno
	first int  // the number of the first call that fails, from 1
	stays bool // all later ones fail too
}

func (i injection) String() string {
	return fmt.Sprintf("call %d, %v, for good %t", i.first, i.errno, i.stays)
}

// decide returns a function that records changing calls and fails those of the injection.
func (i injection) decide(seen *[]string) func(call) syscall.Errno {
	return func(c call) syscall.Errno {
		if c.name == "flock" || c.name == "open" && !c.creates() {
			return 0
		}
		*seen = append(*seen, c.name)
		if n := len(*seen); i.first > 0 && (n == i.first || i.stays && n > i.first) {
			return i.errno
		}
		return 0
	}
}

// trial is one operation on a copy of a database.
type trial struct {
	*testing.T
	path string
	db   *DB
	what string // is tried
}

// Fatalf says what was tried.
func (r *trial) Fatalf(format string, args ...any) {
	r.Helper()
	r.T.Fatalf("%s: %s", r.what, fmt.Sprintf(format, args...))
}

// Errorf says what was tried.
func (r *trial) Errorf(format string, args ...any) {
	r.Helper()
	r.T.Errorf("%s: %s", r.what, fmt.Sprintf(format, args...))
}

func newTrial(t *testing.T, image []byte) *trial {
	dir, err := os.MkdirTemp("/dev/shm", "polya") // in memory, as there are many
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	r := &trial{T: t, path: filepath.Join(dir, "t.polya")}
	if err := os.WriteFile(r.path, image, 0o600); err != nil {
		t.Fatal(err)
	}
	r.open()
	return r
}

func (r *trial) open() {
	r.Helper()
	db, err := Open(r.path, tuned(r, Options{}))
	if err != nil {
		r.Fatal(err)
	}
	r.db = db
}

func (r *trial) text() string {
	r.Helper()
	return dumpOf(r, r.db, true) + fmt.Sprintf("state %q\n", r.state())
}

func (r *trial) state() (v []byte) {
	r.db.View(func(s *Snapshot) error { v = s.State("fit"); return nil })
	return v
}

// more is what is learned after each operation, to see that it can be.
func (r *trial) more() error {
	for i := range 3 {
		var d Delta
		d.Add(attributed(2000+i, "after"))
		if _, err := r.db.Apply(&d); err != nil {
			return err
		}
	}
	return nil
}

// outcome is what the database holds after an operation that failed or succeeded,
// and then when more was learned.
type outcome struct{ now, later string }

func (r *trial) outcome() (o outcome) {
	r.Helper()
	o.now = r.text()
	if err := r.more(); err != nil {
		r.Fatalf("learning after it: %v", err)
	}
	o.later = r.text()
	return o
}

// mustBe checks the open database, and then the file.
func (r *trial) mustBe(want outcome) {
	r.Helper()
	got := r.outcome()
	mustEqualText(r, got.now, want.now)
	mustEqualText(r, got.later, want.later)
	mustCheck(r, r.db)
	if err := r.db.Close(); err != nil {
		r.Errorf("closing: %v", err)
	}
	r.open()
	mustEqualText(r, r.text(), want.later)
	mustCheck(r, r.db)
	r.db.Close()
	list, err := filepath.Glob(filepath.Join(filepath.Dir(r.path), "*"))
	if err != nil || len(list) != 1 {
		r.Errorf("left behind: %v, %v", list, err)
	}
	os.RemoveAll(filepath.Dir(r.path))
}

// faultImage is a database of n documents, whose file has some free pages.
func faultImage(t *testing.T, n int) []byte {
	t.Helper()
	db := open(t, tempDB(t), Options{})
	for i := range n {
		add(t, db, attributed(i, []string{"ham", "spam"}[i%2]))
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(db.Path())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Whichever system call of whatever operation fails, once or from then on (with
// POLYA_FAULTS=all, in each of two ways; otherwise in one of them): it says so in one line, nothing has changed, the same open database goes on, and so does
// the file when it is opened again.
func TestEachFault(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	raced.Skip(t)
	t.Parallel()
	shortTails(t)
	other := open(t, tempDB(t), Options{})
	for i := range 30 {
		add(t, other, attributed(500+i, []string{"ham", "third"}[i%2]))
	}
	failures := map[string]int{}
	for _, size := range []int{60, 61, 62} {
		image := faultImage(t, size)
		before := func() outcome { r := newTrial(t, image); defer r.db.Close(); return r.outcome() }()
		for _, op := range operations(t, other) {
			if size > 60 && !strings.HasPrefix(op.name, "train") {
				continue
			}
			t.Run(fmt.Sprintf("%s %d", op.name, size), func(t *testing.T) {
				failures[op.name] += eachFault(t, image, op, before)
			})
		}
	}
	for name, n := range failures {
		t.Logf("%s: %d failures", name, n)
	}
}

// eachFault returns how many failures the operation met.
func eachFault(t *testing.T, image []byte, op operation, before outcome) int {
	var all []string
	r := newTrial(t, image)
	withFaults(t, injection{}.decide(&all), func() {
		if err := op.run(r.db); err != nil {
			t.Errorf("without a fault: %v", err)
		}
	})
	after := r.outcome()
	r.db.Close()
	failed := 0
	for first := 1; first <= len(all); first++ {
		for k, errno := range []syscall.Errno{syscall.EIO, syscall.ENOSPC} {
			if (first+k)%2 > 0 && os.Getenv("POLYA_FAULTS") != "all" {
				continue
			}
			for _, stays := range []bool{false, true} {
				i := injection{errno, first, stays}
				r := newTrial(t, image)
				var seen []string
				var err error
				withFaults(t, i.decide(&seen), func() { err = op.run(r.db) })
				if err != nil {
					failed++
					mustSayFault(t, err, r.path, errno)
				}
				want := before
				if err == nil || strings.Contains(err.Error(), "in its place") {
					want = after
				}
				r.what = fmt.Sprintf("%v (%s): %v", i, all[first-1], err)
				r.mustBe(want)
			}
		}
	}
	if failed == 0 {
		t.Errorf("no failure was met among %v", all)
	}
	return failed
}

// mustSayFault checks what users are told when a call fails with errno.
func mustSayFault(t *testing.T, err error, path string, errno syscall.Errno) {
	t.Helper()
	mustBeOneLine(t, err, path)
	if !strings.Contains(err.Error(), errno.Error()) {
		t.Errorf("does not say %q: %q", errno.Error(), err)
	}
	var c *CorruptError
	if errors.As(err, &c) || bytes.Contains([]byte(err.Error()), []byte("-compact")) {
		t.Errorf("a failing disk: %q", err)
	}
}
