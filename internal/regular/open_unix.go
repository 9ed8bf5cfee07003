//go:build unix

// Package regular opens files that are known to be regular. The package os cannot know it:
// it has the runtime wait for each file as for a socket, which takes six system calls a file, and
// a thread at the first one.
package regular

import (
	"os"
	"syscall"
)

// OpenFile is os.OpenFile for a regular file.
func OpenFile(path string, flag int, mode os.FileMode) (*os.File, error) {
	for {
		fd, err := syscall.Open(path, flag|syscall.O_CLOEXEC, uint32(mode.Perm()))
		if err == nil {
			return os.NewFile(uintptr(fd), path), nil
		}
		if err != syscall.EINTR { // some file systems return it
			return nil, &os.PathError{Op: "open", Path: path, Err: err}
		}
	}
}
