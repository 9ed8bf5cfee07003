//go:build linux

package store

import (
	"errors"
	"os"
	"testing"

	"github.com/polya-classifier/polya/store/internal/file"
)

// compacted learns document n in a process of its own and compacts the file in another.
func compacted(t *testing.T, path string, n int) {
	t.Helper()
	db := open(t, path, Options{})
	learn(t, db, n)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = shared(t, path, Options{})
	if err := db.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// A file that was compacted twice may have the number of the first, and as many
// transactions: a process that had released that must not take it for the same.
func TestReleasedAndCompactedTwice(t *testing.T) {
	t.Parallel()
	path := tempDB(t)
	compacted(t, path, 0)
	for round := range 4 {
		a := shared(t, path, Options{})
		n := learned(t, a)
		if err := a.releaseNow(true); err != nil {
			t.Fatal(err)
		}
		compacted(t, path, 3*round+1)
		compacted(t, path, 3*round+2)
		if got := learned(t, a); got != n+2 {
			t.Errorf("%d documents, want %d", got, n+2)
		}
		learn(t, a, 3*round+3)
		mustCheck(t, a)
		if got := learned(t, a); got != n+3 {
			t.Errorf("%d documents, want %d", got, n+3)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A copy that is written over a file which nobody has open is another one too, though
// the file is the same and has as many transactions.
func TestReleasedAndCopiedOver(t *testing.T) {
	t.Parallel()
	fast(t)
	path := tempDB(t)
	a := shared(t, path, Options{})
	learn(t, a, 0)
	if err := a.releaseNow(true); err != nil {
		t.Fatal(err)
	}
	backup, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	learn(t, a, 1)
	if err := a.releaseNow(true); err != nil {
		t.Fatal(err)
	}
	other := tempDB(t)
	if err := os.WriteFile(other, backup, 0o600); err != nil {
		t.Fatal(err)
	}
	b := shared(t, other, Options{})
	learn(t, b, 2)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	now, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, now, 0o600); err != nil {
		t.Fatal(err)
	}
	learn(t, a, 3)
	if n := learned(t, a); n != 3 {
		t.Errorf("%d documents, want 3", n)
	}
	mustCheck(t, a)
	one := open(t, tempDB(t), Options{})
	for _, i := range []int{0, 2, 3} {
		learn(t, one, i)
	}
	mustEqualText(t, dumpOf(t, one, true), dumpOf(t, a, true))
}

// A process whose file cannot be released, as somebody reads it, goes on to learn.
func TestLearnAfterReleaseInView(t *testing.T) {
	t.Parallel()
	fast(t)
	db := shared(t, tempDB(t), Options{})
	learn(t, db, 0)
	learn(t, db, 1) // without the list of free pages
	err := db.View(func(*Snapshot) error {
		if err := db.releaseNow(true); err != nil {
			return err
		}
		if db.file == nil {
			return errors.New("released while it is read")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	learn(t, db, 2)
	learn(t, db, 3)
	if n := learned(t, db); n != 4 {
		t.Errorf("%d documents, want 4", n)
	}
	mustCheck(t, db)
}

// A file that was opened again for something else than a View is released too.
func TestReleasedAfterCheck(t *testing.T) {
	t.Parallel()
	fast(t)
	path := tempDB(t)
	a := shared(t, path, Options{})
	learn(t, a, 0)
	if err := a.releaseNow(true); err != nil {
		t.Fatal(err)
	}
	a.idle.Stop()
	if err := a.locked(func(f *file.File) error { return f.Check() }); err != nil {
		t.Fatal(err)
	}
	learn(t, shared(t, path, Options{}), 1) // or it would wait until a is closed
}
