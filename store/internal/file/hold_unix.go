//go:build unix && !solaris && !aix && !android

package file

import (
	"os"
	"time"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/lock"
)

// hold opens the file and locks it against all others, as bbolt does, which
// cannot be asked: it ends the program on some damaged files. unlock closes it.
func hold(path string, timeout time.Duration) (file *os.File, unlock func(), err error) {
	for deadline := time.Now().Add(timeout); ; {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return nil, nil, fault.Bolt(err)
		}
		if _, err := lock.Write(f, deadline); err != nil {
			f.Close()
			return nil, nil, fault.Lock(fault.Bolt(err))
		}
		ours, err1 := f.Stat()
		now, err2 := os.Stat(path)
		// While we waited, another file may have taken its place.
		if err1 == nil && err2 == nil && os.SameFile(ours, now) {
			return f, func() { f.Close() }, nil
		}
		f.Close()
		if time.Now().After(deadline) {
			return nil, nil, fault.ErrInUse
		}
	}
}
