//go:build unix && !solaris && !aix && !android

package file

import (
	"os"
	"time"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/lock"
)

// hold opens the file and locks it against all others, as bbolt does; bbolt itself ends
// the program on some damaged files. unlock closes it.
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
		// While we waited, another file may have taken its place.
		if now, err := os.Stat(path); err == nil && isFile(f, now) {
			return f, func() { f.Close() }, nil
		}
		f.Close()
		if time.Now().After(deadline) {
			return nil, nil, fault.ErrInUse
		}
	}
}
