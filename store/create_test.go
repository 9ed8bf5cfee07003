package store

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/file"
)

// A new file has its name only when it can be opened, and nothing is left beside it.
func TestMakeFile(t *testing.T) {
	t.Parallel()
	path := tempDB(t)
	o := new(Options).file()
	o.Read, o.Make = nil, func(*bolt.Tx) error { return nil }
	f, err := file.Open(path, path, o) // as if the process was killed then
	if err != nil {
		t.Fatal(err)
	}
	f.Discard()
	mustRefuse(t, path, Options{MustExist: true}, ErrEmpty)
	mustBeAlone(t, path)
	before, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && before.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", before, err)
	}
	add(t, open(t, path, Options{}), sample(1, "ham"))
	if now, err := os.Stat(path); err != nil || !os.SameFile(before, now) {
		t.Errorf("another file was made: %v", err)
	}
	mustBeAlone(t, path)
}

// Nothing is made through a symbolic link: whoever owns the folder says where it
// leads, and need not be allowed to write there.
func TestMakeFileThroughLink(t *testing.T) {
	t.Parallel()
	path, target := tempDB(t), tempDB(t)
	if err := os.Symlink(target, path); err != nil {
		t.Skip(err)
	}
	if db, err := Open(path, Options{}); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("%v, %v", db, err)
	}
	if _, err := os.Lstat(target); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was made where the link leads: %v", err)
	}
	mustBeAlone(t, path)
	db := open(t, target, Options{})
	add(t, db, sample(1, "ham"))
	db.Close()
	if r := mustCheck(t, open(t, path, Options{ReadOnly: true})); r.Documents != 1 {
		t.Errorf("%d documents behind the link", r.Documents)
	}
}

func mustBeAlone(t *testing.T, path string) {
	t.Helper()
	if found, err := os.ReadDir(filepath.Dir(path)); err != nil || len(found) != 1 {
		t.Errorf("beside %s: %v, %v", path, found, err)
	}
}

// Of many that make a database at once all get the same one.
func TestMakeFileAtOnce(t *testing.T) {
	t.Parallel()
	path := tempDB(t)
	const processes = 8
	var all sync.WaitGroup
	for i := range processes {
		all.Go(func() {
			db, err := Open(path, tuned(t, Options{Timeout: time.Minute}))
			if err != nil {
				t.Error(err)
				return
			}
			var d Delta
			if err = d.Add(sample(i, "ham")); err == nil {
				_, err = db.Apply(&d)
			}
			if err := errors.Join(err, db.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if r := mustCheck(t, open(t, path, Options{MustExist: true})); r.Documents != processes {
		t.Errorf("%d documents of %d are there", r.Documents, processes)
	}
	mustBeAlone(t, path)
}
