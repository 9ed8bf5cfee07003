package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/polya-classifier/polya/store/internal/fault"
)

// Held is a file that only this process has open, without bbolt.
type Held struct {
	*os.File
	Path  string // without links
	Close func() // lets others open the file; it may be called twice
}

// Hold opens the file at path and locks it against all others, or returns ErrNotExist.
func Hold(path string, timeout time.Duration) (*Held, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fault.ErrNotExist
	}
	path, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNoTarget
	}
	if err != nil {
		return nil, fault.Plain(err)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, errNotRegular()
	}
	h := &Held{Path: path}
	h.File, h.Close, err = hold(path, timeout)
	if err != nil {
		return nil, err
	}
	h.Close = sync.OnceFunc(h.Close)
	return h, nil
}
