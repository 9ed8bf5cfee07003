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

// A file that was replaced has given its space back. Where the disk is full even so, a change is refused.
func TestFullAfterReplacing(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("SKIPPED: nothing can be mounted here: %v", err)
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	old := openTest(t, filepath.Join(dir, "a.polya"), 0)
	grow(t, old, 100<<10)
	f := replaced(t, old)
	defer func() { f.Close(nil) }()
	if size, err := f.Size(); err != nil || tmpfsFree(t, dir)+uint64(size) < 1<<20 {
		t.Errorf("the old file is still there, beside a new one of %d bytes (%v)", size, err)
	}
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	put := func() error {
		return f.Update(new(sync.Mutex), true, func(tx *bolt.Tx) (func(), error) {
			return nil, tx.Bucket(bucketTest).Put([]byte("x"), make([]byte, 200<<10))
		})
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

func tmpfsFree(t *testing.T, dir string) uint64 {
	t.Helper()
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		t.Fatal(err)
	}
	return s.Bavail * uint64(s.Bsize)
}
