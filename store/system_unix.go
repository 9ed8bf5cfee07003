//go:build unix

package store

import (
	"io/fs"
	"os"
	"syscall"
)

// errReadOnlyFS is what opening a file for writing gives on a read-only mount.
var errReadOnlyFS error = syscall.EROFS

// sameOwner gives the file at path the owner and the group of another.
func sameOwner(path string, other fs.FileInfo) error {
	now, err := os.Stat(path)
	if err != nil {
		return err
	}
	have, ok1 := now.Sys().(*syscall.Stat_t)
	want, ok2 := other.Sys().(*syscall.Stat_t)
	if !ok1 || !ok2 || (have.Uid == want.Uid && have.Gid == want.Gid) {
		return nil
	}
	return os.Chown(path, int(want.Uid), int(want.Gid))
}
