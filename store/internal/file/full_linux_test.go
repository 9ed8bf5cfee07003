package file

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// A file that was replaced is closed in the background. Where the disk has been full until then, the next
// change is to be tried again, once; where it still is, the change is refused.
func TestFullUntilClosed(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("SKIPPED: nothing can be mounted here: %v", err)
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	f := replaced(t, openTest(t, filepath.Join(dir, "a.polya"), 0))
	defer func() { f.Close(nil) }()
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	put := func() error {
		return f.Update(new(sync.Mutex), true, func(tx *bolt.Tx) (func(), error) {
			return nil, tx.Bucket(bucketTest).Put([]byte("x"), make([]byte, 200<<10))
		})
	}
	if err := put(); err != ErrNoSpace {
		t.Errorf("when the old file was closed: %v", err)
	}
	if err := put(); err == nil || !strings.Contains(err.Error(), "free some space") {
		t.Errorf("while the disk is full: %v", err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if err := put(); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

// When a file is closed, the file that it has replaced is, too: its disk can be unmounted.
func TestNothingStaysOpen(t *testing.T) {
	for range 20 {
		dir := t.TempDir()
		if err := syscall.Mount("none", dir, "tmpfs", 0, "size=16m"); err != nil {
			t.Skipf("SKIPPED: nothing can be mounted here: %v", err)
		}
		old := openTest(t, filepath.Join(dir, "a.polya"), 0)
		grow(t, old, 1<<20)
		if err := replaced(t, old).Close(nil); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmounting: %v", err)
			syscall.Unmount(dir, syscall.MNT_DETACH)
		}
	}
}
