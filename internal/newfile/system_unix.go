//go:build unix && !solaris && !aix

package newfile

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// NoFollow are flags to open a file: they refuse a symbolic link, and do not block on a pipe.
const NoFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// lock locks f against other descriptors, or returns an error at once.
func lock(f *os.File) error {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
}

// Again returns a second descriptor of the file, which has the same lock.
func (f *File) Again() (*os.File, error) {
	fd, err := unix.FcntlInt(f.File.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "dup", Path: f.Path(), Err: err}
	}
	return os.NewFile(uintptr(fd), f.Path()), nil
}

// names returns the number of names (links) of a file.
func names(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}

// sameOwner gives f, described by now, the owner and the group of other.
func sameOwner(f *os.File, now, other fs.FileInfo) error {
	have, ok1 := now.Sys().(*syscall.Stat_t)
	want, ok2 := other.Sys().(*syscall.Stat_t)
	if !ok1 || !ok2 || have.Uid == want.Uid && have.Gid == want.Gid {
		return nil
	}
	return f.Chown(int(want.Uid), int(want.Gid))
}
