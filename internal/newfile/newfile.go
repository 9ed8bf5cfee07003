// Package newfile makes files that get their name, or take the place of another
// file, only when they are complete, in folders that other users may write to.
//
// Whoever can write to a folder can rename what is in it, and put a symbolic link in
// place of a file between any two steps of a program. So nothing here is done to a
// file by its name but making, naming and removing it: a folder is opened once, every
// name is looked up in that folder and never through a link, contents, mode and owner
// go through the descriptor that made the file, and before and after it gets its name
// it is compared with what has the name.
package newfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// ErrChanged is returned when a name belongs to another file than it should: somebody
// else changes names in the folder. Nothing was done to that file.
var ErrChanged = errors.New("another file has been put in its place meanwhile")

// File is a new file under a temporary name. It is used by one goroutine.
type File struct {
	*os.File             // opened for reading and writing
	info     fs.FileInfo // which file it is
	dir      *os.Root    // the folder
	path     string      // where it is to be
	base     string      // the last part of that
	name     string      // its name now
	moved    bool        // KeepAside has taken its path from the old file
}

// attempts bounds how many names are tried. Of ten digits at random no two are the
// same unless somebody makes them so.
const attempts = 100

// Create makes an empty file beside path that only its owner can read and write.
// Its temporary name is that of path, mark and some digits. It is locked, so that
// RemoveLeftOver leaves it alone. Links in path are followed up to its last part.
func Create(path, mark string) (*File, error) {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	f := &File{dir: dir, path: path, base: filepath.Base(path)}
	for range attempts {
		f.name = f.base + mark + strconv.FormatUint(uint64(rand.Uint32()), 10)
		f.File, err = dir.OpenFile(f.name, os.O_RDWR|os.O_CREATE|os.O_EXCL|noFollow, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			break
		}
		_ = lock(f.File) // where it cannot be locked nothing is taken for left over
		if f.info, err = f.File.Stat(); err == nil && f.check() == nil {
			return f, nil
		}
		f.File.Close() // taken for left over before it was locked
	}
	dir.Close()
	if err == nil {
		err = ErrChanged
	}
	return nil, err
}

// Path is the path that the file has now.
func (f *File) Path() string { return filepath.Join(filepath.Dir(f.path), f.name) }

// Like gives the file the mode and the owner of another one, so that whoever could
// read and write that can read and write this.
func (f *File) Like(other fs.FileInfo) error {
	if err := sameOwner(f.File, f.info, other); err != nil {
		return err
	}
	return f.File.Chmod(other.Mode().Perm())
}

// check returns ErrChanged unless the file has its name.
func (f *File) check() error { return has(f.dir, f.name, f.info) }

// has returns ErrChanged unless the file of info has that name in the folder.
func has(dir *os.Root, name string, info fs.FileInfo) error {
	now, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, info) {
		return ErrChanged
	}
	return err
}

// Replace puts the file in the place of old, which has had path; if old is nil, of
// whatever has it. It returns ErrChanged if another file has either name before or
// this one does not have path afterwards. Names are durable when their folder is
// synced.
func (f *File) Replace(old fs.FileInfo) error {
	if err := f.check(); err != nil {
		return err
	}
	if old != nil && !f.moved {
		if err := has(f.dir, f.base, old); err != nil {
			return err
		}
	}
	if err := f.dir.Rename(f.name, f.base); err != nil {
		return err
	}
	f.name = f.base
	return f.check()
}

// Link gives the file its path if nothing has that, or returns an error that wraps
// fs.ErrExist. Where the disk knows no links, errors.ErrUnsupported or fs.ErrPermission
// is wrapped.
func (f *File) Link() error {
	if err := f.check(); err != nil {
		return err
	}
	if err := f.dir.Link(f.name, f.base); err != nil {
		return err
	}
	_ = f.dir.Remove(f.name) // or RemoveLeftOver does
	f.name = f.base
	return f.check()
}

// KeepAside gives old, which has path, a second name: that of path with mark at its
// end, and a number if that is taken. It returns the new path. Where the disk knows no
// links, old loses its first name. One that a process gave it which was then killed will
// do.
func (f *File) KeepAside(old fs.FileInfo, mark string) (string, error) {
	if err := has(f.dir, f.base, old); err != nil {
		return "", err
	}
	for n := range attempts {
		aside := f.base + mark
		if n > 0 {
			aside += "-" + strconv.Itoa(n+1)
		}
		if info, err := f.dir.Lstat(aside); err == nil {
			if os.SameFile(info, old) {
				return filepath.Join(filepath.Dir(f.path), aside), nil
			}
			continue
		}
		err := f.dir.Link(f.base, aside)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			err = f.dir.Rename(f.base, aside)
			f.moved = err == nil
		}
		return filepath.Join(filepath.Dir(f.path), aside), err
	}
	return "", fmt.Errorf("there are %d files named %s beside it already; remove some", attempts, f.base+mark)
}

// GiveBack undoes KeepAside: the file at aside has only its first name again.
func (f *File) GiveBack(aside string) {
	name := filepath.Base(aside)
	a, err := f.dir.Lstat(name)
	if err != nil {
		return
	}
	b, err := f.dir.Lstat(f.base)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_ = f.dir.Rename(name, f.base)
	case err == nil && os.SameFile(a, b):
		_ = f.dir.Remove(name)
	}
}

// Discard closes the file and removes it, unless it has got its path. It may be called
// twice.
func (f *File) Discard() {
	if f.name != f.base && f.check() == nil {
		_ = f.dir.Remove(f.name)
	}
	f.File.Close()
	f.dir.Close()
}

// Remove removes the file at path if it is that of info.
func Remove(path string, info fs.FileInfo) error {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := has(dir, filepath.Base(path), info); err != nil {
		return err
	}
	return dir.Remove(filepath.Base(path))
}
