//go:build unix && !solaris && !aix && !android

package lock

import (
	"os"
	"syscall"
)

// flock takes the lock that bbolt takes.
func flock(f *os.File, alone bool) error {
	how := syscall.LOCK_SH | syscall.LOCK_NB
	if alone {
		how = syscall.LOCK_EX | syscall.LOCK_NB
	}
	for {
		switch err := syscall.Flock(int(f.Fd()), how); err {
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return errBusy
		default:
			return err
		}
	}
}

func unflock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
