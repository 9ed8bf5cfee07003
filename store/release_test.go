//go:build linux

package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/layout"
)

// shared opens the database of the test as one of several processes does: locks are
// those of an open file, so that it does not matter that it is the same process.
func shared(t *testing.T, path string, o Options) *DB {
	t.Helper()
	o.Share, o.Timeout = true, 5*time.Second
	db, err := Open(path, tuned(t, o))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if !fair(db) {
		t.Skip("no locks of open file descriptions on this disk")
	}
	return db
}

// fair reports whether the system can share the file. A slow machine may have let it rest
// already: then it could.
func fair(db *DB) bool {
	db.mu.RLock()
	defer db.mu.RUnlock()
	return db.file == nil || db.file.Fair()
}

func learn(t *testing.T, db *DB, n int) {
	t.Helper()
	var d Delta
	if err := d.Add(sample(n, "a")); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Apply(&d); err != nil {
		t.Fatal(err)
	}
}

func learned(t *testing.T, db *DB) (n uint64) {
	t.Helper()
	if err := db.View(func(s *Snapshot) error { n = s.Documents(); return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

// Two processes that release the file learn by turns, and each goes on from what the
// other has left.
func TestRelease(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	path := tempDB(t)
	a := shared(t, path, Options{})
	learn(t, a, 0)
	if err := a.releaseNow(true); err != nil {
		t.Fatal(err)
	}
	b := shared(t, path, Options{})
	for i := 1; i < 60; i++ {
		db := []*DB{a, b}[i%2]
		if err := []*DB{b, a}[i%2].releaseNow(true); err != nil {
			t.Fatal(err)
		}
		learn(t, db, i)
		if i%7 == 0 {
			if err := errors.Join(db.releaseNow(true), db.releaseNow(true)); err != nil {
				t.Fatal(err)
			}
		}
		if n := learned(t, db); n != uint64(i+1) {
			t.Fatalf("%d documents after %d", n, i+1)
		}
	}
	if err := b.releaseNow(true); err != nil {
		t.Fatal(err)
	}
	mustCheck(t, a)
	text := dumpOf(t, a, true)
	if err := errors.Join(a.Close(), b.Close()); err != nil {
		t.Fatal(err)
	}
	one := open(t, tempDB(t), Options{})
	for i := range 60 {
		learn(t, one, i)
	}
	mustEqualText(t, dumpOf(t, one, true), text)
}

// A list of tables is read once for all transactions that read the same, and anew after a
// training, of a file that was opened again, though it is the same, and to write.
func TestListOfTables(t *testing.T) {
	t.Parallel()
	fast(t)
	path := tempDB(t)
	db := open(t, path, Options{})
	var list layout.Directory
	isRead := func(tx layout.Tx) bool {
		t.Helper()
		list.Bytes = -1
		if err := list.Load(tx); err != nil {
			t.Fatal(err)
		}
		return list.Bytes >= 0
	}
	wants := func(what string, want bool) {
		t.Helper()
		err := db.View(func(s *Snapshot) error {
			if got := isRead(s.tx); got != want {
				t.Errorf("%s: the list is read: %v", what, got)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	learn(t, db, 0)
	wants("first", true)
	wants("again", false)
	learn(t, db, 1)
	wants("after a training", true)
	wants("again", false)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open(t, path, Options{})
	wants("opened again", true)
	wants("again", false)
	err := db.locked(func(f *file.File) error {
		return f.Update(&db.mu, false, func(tx *bolt.Tx) (func(), error) {
			for range 2 {
				if !isRead(layout.Tx{Tx: tx}) {
					t.Error("the list of a transaction that writes is not read")
				}
			}
			return nil, nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	wants("after a transaction that writes", true)
}

// Without Share, and while somebody reads, the file is not released.
func TestReleaseNothing(t *testing.T) {
	t.Parallel()
	fast(t)
	path := tempDB(t)
	kept := open(t, path, Options{})
	learn(t, kept, 0)
	if err := kept.releaseNow(true); err != nil || kept.file == nil {
		t.Errorf("released without being told to: %v", err)
	}
	kept.Close()
	db := shared(t, path, Options{})
	err := db.View(func(*Snapshot) error {
		err := db.releaseNow(true)
		if db.file == nil {
			err = errors.New("released while it is read")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// While one process computes on a detached copy, another learns; what is computed of is the state
// from before, and nothing is left in the folder.
func TestDetached(t *testing.T) {
	t.Parallel()
	fast(t)
	path := tempDB(t)
	a := shared(t, path, Options{})
	learn(t, a, 0)
	err := a.Detached(func(s *Snapshot) error {
		b := shared(t, path, Options{})
		defer b.Close()
		for i := 1; i < 5; i++ {
			learn(t, b, i)
		}
		if n := learned(t, b); n != 5 || s.Documents() != 1 {
			return fmt.Errorf("%d documents, and %d detached", n, s.Documents())
		}
		list, err := os.ReadDir(filepath.Dir(path))
		if len(list) != 1 {
			err = fmt.Errorf("left in the folder: %v", list)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.PutState(map[string][]byte{"k": []byte("v")}); err != nil {
		t.Fatal(err)
	}
	if n := learned(t, a); n != 5 {
		t.Errorf("%d documents", n)
	}
	mustCheck(t, a)
}

// Another database in the place of a released one is refused.
func TestReleasedAndReplaced(t *testing.T) {
	t.Parallel()
	fast(t)
	path, other := tempDB(t), tempDB(t)
	o := shared(t, other, Options{})
	learn(t, o, 1)
	o.Close()
	a := shared(t, path, Options{})
	learn(t, a, 0)
	if err := errors.Join(a.releaseNow(true), os.Rename(other, path)); err != nil {
		t.Fatal(err)
	}
	if err := a.View(func(*Snapshot) error { return nil }); !errors.Is(err, errOther) {
		t.Errorf("got %v", err)
	}
	if _, err := a.Apply(new(Delta)); !errors.Is(err, errOther) {
		t.Errorf("got %v", err)
	}
}

// A reader that stays lets others commit between two questions, and then answers from
// what they have learned; one that does not end a question does not.
func TestReaderLetsOthersCommit(t *testing.T) {
	t.Parallel()
	fast(t)
	path := tempDB(t)
	w := shared(t, path, Options{})
	learn(t, w, 0)
	r := shared(t, path, Options{ReadOnly: true})
	if n := learned(t, r); n != 1 {
		t.Fatalf("%d documents", n)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		learn(t, w, 1)
	}()
	for waiting := true; waiting; {
		learned(t, r)
		select {
		case <-done:
			waiting = false
		default:
		}
	}
	if n := learned(t, r); n != 2 && !t.Failed() {
		// Nobody waited for it any more.
		if err := r.releaseNow(true); err != nil {
			t.Fatal(err)
		}
		if n := learned(t, r); n != 2 {
			t.Errorf("%d documents", n)
		}
	}
	w.options.Timeout = 50 * time.Millisecond
	err := r.View(func(*Snapshot) error {
		var d Delta
		if err := d.Add(sample(9, "a")); err != nil {
			return err
		}
		_, err := w.Apply(&d)
		return err
	})
	if !errors.Is(err, ErrInUse) {
		t.Errorf("a commit beside a reader: %v", err)
	}
	w.options.Timeout = time.Minute
	learn(t, w, 10) // as it is not asked any more
	mustCheck(t, w)
}

// One process at a time has the claim.
func TestClaim(t *testing.T) {
	t.Parallel()
	fast(t)
	db := shared(t, tempDB(t), Options{})
	release, claimed, err := db.Claim()
	if err != nil || !claimed {
		t.Fatal(claimed, err)
	}
	if _, claimed, err := db.Claim(); err != nil || claimed {
		t.Error("claimed twice:", err)
	}
	release()
	if release, claimed, err = db.Claim(); err != nil || !claimed {
		t.Fatal(claimed, err)
	}
	release()
}

// The space that many documents have freed is recovered although the process did not have the file any
// more when it was closed, or has it again only to read. Where another has the file, who trains next does it.
func TestShrinkAfterRelease(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	shortTails(t)
	fast(t)
	for _, state := range []string{"kept", "released", "read", "taken"} {
		t.Run(state, func(t *testing.T) {
			if state == "taken" { // in other states it need not wait, unless the machine is slow
				tune(t).ClosePatience = 20 * time.Millisecond
			}
			l := newLife(t, Options{})
			l.db.Close()
			l.db = shared(t, l.path, Options{})
			for range 3 {
				var d Delta
				for range 200 {
					if err := d.Add(mail(l.next)); err != nil {
						t.Fatal(err)
					}
					l.next++
				}
				if _, err := l.db.Apply(&d); err != nil {
					t.Fatal(err)
				}
			}
			if state != "kept" {
				if err := l.db.releaseNow(true); err != nil {
					t.Fatal(err)
				}
			}
			var other *DB
			switch state {
			case "read":
				learned(t, l.db)
			case "taken":
				other = shared(t, l.path, Options{})
			}
			if err := l.db.Close(); err != nil {
				t.Fatal(err)
			}
			if other != nil {
				learn(t, other, l.next)
				if err := other.Close(); err != nil {
					t.Fatal(err)
				}
			}
			l.db = open(t, l.path, Options{})
			defer l.db.Close()
			l.mustBeSmall(1.25)
			mustCheck(t, l.db)
		})
	}
}

// A compaction keeps what others learn before and after it.
func TestCompactShared(t *testing.T) {
	t.Parallel()
	fast(t)
	path := tempDB(t)
	a := shared(t, path, Options{})
	for i := range 50 {
		learn(t, a, i)
	}
	documents := 150
	if testing.Short() {
		documents = 80
	}
	// One compaction for each document at most: the lock is not fair, and a process that takes it
	// again at once can keep another out until that gives up.
	more := make(chan struct{}, documents)
	go func() {
		defer close(more)
		b := shared(t, path, Options{})
		defer b.Close()
		for i := 50; i < documents && !t.Failed(); i++ {
			var d Delta
			if err := errors.Join(d.Add(sample(i, "a")), b.releaseNow(true)); err != nil {
				t.Error(err)
			} else if _, err := b.Apply(&d); err != nil {
				t.Error(err)
			}
			more <- struct{}{}
		}
	}()
	for range more {
		if err := a.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := learned(t, a); n != uint64(documents) {
		t.Errorf("%d documents", n)
	}
	mustCheck(t, a)
	if list, err := os.ReadDir(filepath.Dir(path)); len(list) != 1 {
		t.Errorf("left in the folder: %v, %v", list, err)
	}
}
