package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// This file is how a repaired database takes the place of the damaged one.

// replace gives the damaged file a second name, which it keeps, and its first one
// to the new file. Whenever that is cut short there is a file at path: the damaged
// one or the new one, whole.
func (r *repair) replace(path string, unlock func()) error {
	info, err := os.Stat(path)
	if err != nil {
		return plainPathError(err)
	}
	if err := syncFile(r.temporary); err != nil {
		return err
	}
	// Who could read and write the file still can.
	if err := cmp.Or(os.Chmod(r.temporary, info.Mode().Perm()), sameOwner(r.temporary, info)); err != nil {
		return plainPathError(err)
	}
	if r.out.Damaged, err = setAside(path); err != nil {
		return err
	}
	if runtime.GOOS == "windows" {
		unlock() // an open file keeps its name there
	}
	if err := os.Rename(r.temporary, path); err != nil {
		_ = os.Rename(r.out.Damaged, path) // of one file with two names, this changes nothing
		_ = removeSame(r.out.Damaged, path)
		return plainPathError(err)
	}
	return syncDir(filepath.Dir(path))
}

// removeSame removes a name if its file has the other one too.
func removeSame(name, other string) error {
	a, err1 := os.Stat(name)
	b, err2 := os.Stat(other)
	if err1 != nil || err2 != nil || !os.SameFile(a, b) {
		return cmp.Or(err1, err2)
	}
	return os.Remove(name)
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return plainPathError(err)
	}
	defer f.Close()
	return plainPathError(f.Sync())
}

// maxAside is how many damaged files are kept beside each other: whoever has more
// should look at the disk.
const maxAside = 100

// setAside gives the file at path a second name, which no other has, and returns
// it. Where the disk knows no links, the file loses its first name for a moment.
func setAside(path string) (string, error) {
	for n := range maxAside {
		aside := path + ".damaged"
		if n > 0 {
			aside = fmt.Sprintf("%s-%d", aside, n+1)
		}
		if _, err := os.Lstat(aside); err == nil {
			continue
		}
		err := os.Link(path, aside)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			err = os.Rename(path, aside)
		}
		return aside, plainPathError(err)
	}
	return "", fmt.Errorf("there are %d damaged copies beside it already; remove some", maxAside)
}
