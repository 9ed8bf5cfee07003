package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// makeFile makes the file of a new database, with bbolt's first pages and no
// bucket, unless there is one. It is written under another name and gets its own
// when it is on the disk: the first pages, all written at once, would otherwise be
// a damaged file if the power failed meanwhile. A link, other than a rename, does
// not take the place of a file that somebody else has made. A process that is killed
// meanwhile leaves the other name with .new- in it, which can be removed.
//
// Where this cannot be done, on a disk that knows no links, bbolt makes the file
// under its name, or says why it cannot.
func makeFile(path string, t *tuning) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err != nil {
		return
	}
	temporary := f.Name()
	f.Close()
	defer os.Remove(temporary)
	b, err := openBolt(temporary, &Options{Timeout: DefaultTimeout, tuning: t})
	if err != nil {
		return
	}
	if b.Close() == nil {
		_ = os.Link(temporary, path)
	}
}

// syncName makes the name of the file at path as durable as what is in it. A new
// file gets its header after that, so that whoever finds a header knows that the
// name stays.
func syncName(path string, t *tuning) error {
	if t.noSync {
		return nil
	}
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return plainPathError(err)
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes the names in a folder durable, where the system can do that to a
// folder that this process may read.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return plainPathError(err)
	}
	defer f.Close()
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // a network's file system
	}
	return plainPathError(err)
}
