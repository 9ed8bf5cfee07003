//go:build unix

package newfile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What root makes in the folder of a service belongs to the service, and what is there already
// keeps its owner.
func TestLikeFolder(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives files to others")
	}
	const uid, gid = 64321, 64322
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	write(t, other, "root's")
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Fatal(err)
	}
	owner := func(f *os.File) [2]uint32 {
		t.Helper()
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		s := info.Sys().(*syscall.Stat_t)
		return [2]uint32{s.Uid, s.Gid}
	}
	f, err := Create(filepath.Join(dir, "new"), ".new-")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Discard()
	if f.LikeFolder(); owner(f.File) != [2]uint32{uid, gid} {
		t.Errorf("the new file belongs to %v", owner(f.File))
	}
	for path, want := range map[string][2]uint32{filepath.Join(dir, "own"): {uid, gid}, other: {0, 0}} {
		f, err := OpenOwn(path, true)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if owner(f) != want {
			t.Errorf("%s belongs to %v, not %v", path, owner(f), want)
		}
	}
}
