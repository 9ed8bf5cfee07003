package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// replacements are what somebody does to the file of a database that is open, with
// the backup of an earlier state.
var replacements = map[string]func(t *testing.T, path, backup string){
	"moved over":  func(t *testing.T, path, backup string) { must(t, os.Rename(backup, path)) },
	"removed":     func(t *testing.T, path, _ string) { must(t, os.Remove(path)) },
	"moved away":  func(t *testing.T, path, _ string) { must(t, os.Rename(path, path+".old")) },
	"copied over": func(t *testing.T, path, backup string) { copyOver(t, path, backup) },
	"folder moved": func(t *testing.T, path, _ string) {
		must(t, os.Rename(filepath.Dir(path), filepath.Dir(path)+".old"))
	},
	"linked elsewhere": func(t *testing.T, path, backup string) {
		must(t, os.Remove(path))
		must(t, os.Symlink(backup, path))
	},
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func copyOver(t *testing.T, path, from string) {
	t.Helper()
	b, err := os.ReadFile(from)
	must(t, err)
	must(t, os.WriteFile(path, b, 0o600))
}

// replaceable is an open database of 60 documents, and a backup of its first 30.
func replaceable(t *testing.T) (db *DB, backup string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "folder")
	must(t, os.Mkdir(dir, 0o700))
	db, err := Open(filepath.Join(dir, "test.polya"), tuned(t, Options{}))
	must(t, err)
	t.Cleanup(func() { db.Close() })
	backup = filepath.Join(t.TempDir(), "backup")
	for i := range 60 {
		add(t, db, sample(i, []string{"ham", "spam"}[i%2]))
		if i == 29 {
			f, err := os.Create(backup)
			must(t, err)
			_, err = db.Backup(t.Context(), f)
			must(t, errors.Join(err, f.Close()))
		}
	}
	return db, backup
}

// bytesOf is what is at path, if anything is.
func bytesOf(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(b)
}

// Nothing that is learned after the file was replaced is acknowledged, nor is what was
// put in its place written.
func TestReplacedFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file keeps its name there")
	}
	t.Parallel()
	fast(t)
	for name, replace := range replacements {
		t.Run(name, func(t *testing.T) {
			db, backup := replaceable(t)
			replace(t, db.Path(), backup)
			before := bytesOf(db.Path())
			for what, change := range map[string]func() error{
				"train":   func() error { return deltaFor(addNew(1))(db) },
				"bulk":    func() error { return deltaFor(addNew(300))(db) },
				"state":   func() error { return db.PutState(map[string][]byte{"fit": []byte("x")}) },
				"rename":  func() error { return db.RenameClass("ham", "x") },
				"compact": func() error { return db.Compact(t.Context()) },
				"prune": func() error {
					_, err := db.Prune(context.Background(), false, func([]byte, []count.Cell) bool { return true })
					return err
				},
			} {
				if err := change(); !errors.Is(err, ErrReplaced) {
					t.Errorf("%s: %v", what, err)
				}
			}
			if err := db.Close(); !errors.Is(err, ErrReplaced) {
				t.Errorf("closing: %v", err)
			}
			if bytesOf(db.Path()) != before {
				t.Error("the file that is there now was written")
			}
		})
	}
}

// The same where it is replaced after a transaction has begun, and where only Close is
// left to come.
func TestReplacedMeanwhile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file keeps its name there")
	}
	t.Parallel()
	fast(t)
	for name, replace := range replacements {
		t.Run(name, func(t *testing.T) {
			db, backup := replaceable(t)
			before := ""
			err := db.admin(func() error {
				return db.update(func(tx layout.Tx) (*memory, error) {
					must(t, tx.Bucket(stored.BucketState).Put([]byte("key"), wire.AppendCRC([]byte("value"), []byte("key"))))
					replace(t, db.Path(), backup)
					before = bytesOf(db.Path())
					return nil, nil
				})
			})
			if !errors.Is(err, ErrReplaced) || bytesOf(db.Path()) != before {
				t.Errorf("in a transaction: %v", err)
			}
			db, backup = replaceable(t)
			replace(t, db.Path(), backup)
			before = bytesOf(db.Path())
			if err := db.Close(); !errors.Is(err, ErrReplaced) || bytesOf(db.Path()) != before {
				t.Errorf("closing: %v", err)
			}
		})
	}
}

// A database that is in its place goes on, wherever the process goes, and through a
// link; so does one whose file it has written anew.
func TestNotReplaced(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	db, err := Open("test.polya", tuned(t, Options{}))
	must(t, err)
	must(t, os.Mkdir("sub", 0o700))
	t.Chdir("sub")
	for range 3 {
		must(t, deltaFor(addNew(5))(db))
		must(t, db.Compact(t.Context()))
		must(t, deltaFor(func(d *Delta) { d.Forget(attributed(1001, "").ID) })(db))
	}
	must(t, db.Close())
	mustCheck(t, open(t, filepath.Join(dir, "test.polya"), Options{}))
}

// BenchmarkInPlace is what a look at the file adds to a commit; there are two.
func BenchmarkInPlace(b *testing.B) {
	db, err := Open(filepath.Join(b.TempDir(), "test.polya"), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	for b.Loop() {
		if err := db.file.InPlace(); err != nil {
			b.Fatal(err)
		}
	}
}
