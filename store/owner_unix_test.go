//go:build unix

package store

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What root teaches into a folder of a service, the service can open; a backup that is
// restored there, too.
func TestOwnerOfFolder(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root gives files to others")
	}
	path := tempDB(t)
	if err := os.Chown(filepath.Dir(path), 64321, 64322); err != nil {
		t.Fatal(err)
	}
	db := open(t, path, Options{})
	add(t, db, sample(1, "ham"))
	db.Close()
	if _, err := restore(t, path+".restored", path); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, path + ".restored"} {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		if s := info.Sys().(*syscall.Stat_t); s.Uid != 64321 || s.Gid != 64322 {
			t.Errorf("%s belongs to %d:%d", p, s.Uid, s.Gid)
		}
	}
}
