package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

func restore(t *testing.T, path, backup string) (Restored, error) {
	t.Helper()
	return Restore(context.Background(), path, backup, Options{Timeout: 10 * time.Millisecond, tuning: tuningOf(t)})
}

// A backup takes the place of whatever was there, which stays beside it with the same
// owner and mode; also where nothing was.
func TestRestore(t *testing.T) {
	t.Parallel()
	fast(t)
	db, backup := replaceable(t)
	path := db.Path()
	must(t, db.Close())
	want := dumpOf(t, open(t, backup, Options{ReadOnly: true}), true)
	later := bytesOf(path)
	must(t, os.Chmod(path, 0o640))
	out, err := restore(t, path, backup)
	if err != nil || out.Documents != 30 || out.Before != path+".replaced" || bytesOf(out.Before) != later {
		t.Fatalf("%+v, %v", out, err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info, err)
	}
	restored := open(t, path, Options{})
	mustEqualText(t, dumpOf(t, restored, true), want)
	must(t, deltaFor(addNew(3))(restored))
	must(t, restored.Close())
	if out, err = restore(t, path, backup); err != nil || out.Before != path+".replaced-2" {
		t.Errorf("%+v, %v", out, err)
	}
	damaged := bytesOf(path)[:5000]
	must(t, os.WriteFile(path, []byte(damaged), 0o600))
	if out, err = restore(t, path, backup); err != nil || bytesOf(out.Before) != damaged {
		t.Errorf("%+v, %v", out, err)
	}
	if out, err = restore(t, path+".new", backup); err != nil || out.Before != "" {
		t.Errorf("%+v, %v", out, err)
	}
	for _, path := range []string{path, path + ".new"} {
		db := open(t, path, Options{})
		mustEqualText(t, dumpOf(t, db, true), want)
	}
	if list, _ := os.ReadDir(filepath.Dir(path)); len(list) != 5 {
		t.Errorf("in the folder: %v", list)
	}
}

// Nothing changes while somebody has the database open, or when the backup is damaged,
// missing or the database itself.
func TestRestoreRefused(t *testing.T) {
	t.Parallel()
	fast(t)
	db, backup := replaceable(t)
	path := db.Path()
	if _, err := restore(t, path, backup); !errors.Is(err, ErrInUse) {
		t.Errorf("open to write: %v", err)
	}
	must(t, db.Close())
	reader := open(t, path, Options{ReadOnly: true})
	if _, err := restore(t, path, backup); !errors.Is(err, ErrInUse) {
		t.Errorf("open to read: %v", err)
	}
	must(t, reader.Close())
	before := bytesOf(path)
	damaged := backup + ".damaged"
	b := []byte(bytesOf(backup))
	for i := len(b) / 2; i < len(b); i++ {
		b[i] ^= 0x55
	}
	must(t, os.WriteFile(damaged, b, 0o600))
	var corrupt *CorruptError
	if _, err := restore(t, path, damaged); !errors.As(err, &corrupt) || !strings.Contains(err.Error(), damaged) {
		t.Errorf("damaged: %v", err)
	}
	if _, err := restore(t, path, backup+".none"); !errors.Is(err, ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if _, err := restore(t, path, path); !errors.Is(err, errSameFile) {
		t.Errorf("the database itself: %v", err)
	}
	if _, err := restore(t, filepath.Dir(path), backup); !errors.Is(err, ErrNotPolya) {
		t.Errorf("a folder: %v", err)
	}
	text := filepath.Join(t.TempDir(), "text")
	must(t, os.WriteFile(text, []byte("text"), 0o600))
	if _, err := restore(t, text, backup); !errors.Is(err, ErrNotPolya) || bytesOf(text) != "text" {
		t.Errorf("a text: %v", err)
	}
	if bytesOf(path) != before {
		t.Error("the database has changed")
	}
	if list, _ := os.ReadDir(filepath.Dir(path)); len(list) != 1 {
		t.Errorf("in the folder: %v", list)
	}
}

// Why the copy cannot be written is said, and no damage of the database.
func TestBackupFails(t *testing.T) {
	t.Parallel()
	db := open(t, tempDB(t), Options{})
	full := &fs.PathError{Op: "write", Path: "copy", Err: syscall.ENOSPC}
	for _, after := range []int{0, 1} {
		n := 0
		_, err := db.Backup(t.Context(), writes(func(b []byte) (int, error) {
			if n++; n > after {
				return 0, full
			}
			return len(b), nil
		}))
		if !errors.Is(err, full) || err.Error() != db.Path()+": "+full.Error()+"; free some space on the disk and try again" {
			t.Errorf("after %d writes: %v", after, err)
		}
	}
}

// writes is a function that writes.
type writes func([]byte) (int, error)

func (w writes) Write(b []byte) (int, error) { return w(b) }
