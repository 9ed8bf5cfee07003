//go:build unix && !solaris && !aix && !android

package store

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"time"
)

// lockFile opens the file and locks it against all others, as bbolt does, which
// cannot be asked: it ends the program on some damaged files. unlock, which may be
// called twice, closes it.
func lockFile(path string, timeout time.Duration) (file *os.File, unlock func(), err error) {
	for deadline := time.Now().Add(timeout); ; time.Sleep(10 * time.Millisecond) {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return nil, nil, boltError(err)
		}
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		ours, err1 := f.Stat()
		now, err2 := os.Stat(path)
		// While we waited, another file may have taken its place.
		if err == nil && err1 == nil && err2 == nil && os.SameFile(ours, now) {
			return f, sync.OnceFunc(func() { f.Close() }), nil
		}
		f.Close()
		if err != nil && !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, nil, err
		}
		if time.Now().After(deadline) {
			return nil, nil, ErrInUse
		}
	}
}
