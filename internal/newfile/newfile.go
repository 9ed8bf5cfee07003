// Package newfile makes files that get their name, or take the place of another
// file, only when they are complete, in folders that other users may write to.
//
// Whoever can write to a folder can rename its files, and put a symbolic link in place of
// a file between any two steps of a program. So this package uses names only to make,
// rename and remove a file: it opens the folder once, looks up every name in that folder
// and never through a link, sets contents, mode and owner through the descriptor that
// made the file, and compares the file with the name before and after renaming.
package newfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
)

// ErrChanged says that a name belongs to another file than it should: somebody else
// changes names in the folder. That file was not changed.
var ErrChanged = errors.New("another file has been put in its place meanwhile")

// File is a new file under a temporary name. It is used by one goroutine.
type File struct {
	*os.File             // opened for reading and writing
	info     fs.FileInfo // which file it is
	dir      *os.Root    // the folder
	path     string      // its final path
	base     string      // the last part of path
	name     string      // its name now
	moved    bool        // KeepAside has removed the old file's name at path
}

// attempts bounds how many names are tried. Ten random digits do not collide unless
// somebody forces it.
const attempts = 100

// Create makes an empty file beside path that only its owner can read and write. Its
// temporary name is path, mark and some digits. It is locked, so that RemoveLeftOver
// leaves it alone. Links in path are followed up to its last part.
func Create(path, mark string) (*File, error) { return createBelow(os.OpenRoot, path, mark) }

func createBelow(open func(string) (*os.Root, error), path, mark string) (*File, error) {
	dir, err := open(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	f := &File{dir: dir, path: path, base: filepath.Base(path)}
	for range attempts {
		f.name = f.base + mark + strconv.FormatUint(uint64(rand.Uint32()), 10)
		f.File, err = dir.OpenFile(f.name, os.O_RDWR|os.O_CREATE|os.O_EXCL|NoFollow, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			break
		}
		// Where no file can be locked RemoveLeftOver removes nothing. One that another process
		// has locked already is about to be removed.
		if !errors.Is(lock(f.File), syscall.EWOULDBLOCK) {
			if f.info, err = f.File.Stat(); err == nil && f.check() == nil {
				return f, nil
			}
		}
		f.File.Close()
	}
	dir.Close()
	if err == nil {
		err = ErrChanged
	}
	return nil, err
}

// Write gives path to a new file with what write writes, in place of any there, when that is on disk.
func Write(path, mark string, write func(io.Writer) error) error {
	return WriteBelow(os.OpenRoot, path, mark, write)
}

// WriteBelow is Write in a folder that open opens: os.OpenRoot, or that of a folder out of which no link may lead.
func WriteBelow(open func(string) (*os.Root, error), path, mark string, write func(io.Writer) error) error {
	f, err := createBelow(open, path, mark)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err = write(f); err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = f.Replace(nil)
	}
	if err != nil {
		return err
	}
	return synced(f.dir.Open("."))
}

// Path returns the current path of the file.
func (f *File) Path() string { return filepath.Join(filepath.Dir(f.path), f.name) }

// Like gives the file the mode and the owner of another one, so that the same users can
// read and write it.
func (f *File) Like(other fs.FileInfo) error {
	if err := sameOwner(f.File, f.info, other); err != nil {
		return err
	}
	return f.File.Chmod(other.Mode().Perm())
}

// LikeFolder gives the file to the owner and the group of its folder if this process is root,
// which would otherwise leave files in a service's folder that the service may not open. Where
// the file system has no owners nothing changes.
func (f *File) LikeFolder() { likeFolder(f.File, f.dir) }

func likeFolder(f *os.File, dir *os.Root) {
	if os.Geteuid() != 0 {
		return
	}
	folder, err := dir.Stat(".")
	if info, e := f.Stat(); err == nil && e == nil {
		_ = sameOwner(f, info, folder)
	}
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

// Replace puts the file in the place of old, which had path, or of any file there if old
// is nil. It returns ErrChanged if another file has one of the two names before, or this
// file does not have path afterwards. Names are durable when their folder is synced.
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

// Link gives the file its path, or returns an error that wraps fs.ErrExist if a file has
// it. On a disk without links the error wraps errors.ErrUnsupported or fs.ErrPermission.
func (f *File) Link() error {
	if err := f.check(); err != nil {
		return err
	}
	if err := f.dir.Link(f.name, f.base); err != nil {
		return err
	}
	_ = f.dir.Remove(f.name) // or RemoveLeftOver removes it
	f.name = f.base
	return f.check()
}

// KeepAside gives old, which has path, a second name: path with mark at its end, and a
// number if that is taken. It returns the new path. On a disk without links old loses its
// first name. A second name from a killed process is used again.
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

// GiveBack undoes KeepAside: the file at aside keeps only its first name.
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

// SyncFolder makes the names in a folder, which is no link, durable, where the system can do that to a
// folder that this process may read.
func SyncFolder(path string) error { return synced(os.Open(path)) }

// synced syncs and closes an opened folder.
func synced(f *os.File, err error) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // a network's file system
	}
	return err
}

// OpenOwn opens a file that a program keeps beside another for reading and writing, and
// makes it with mode 0600 if create is set, as LikeFolder has it. If somebody has put a symbolic link, a hard
// link to another file or a pipe in its place, that is not touched: the error is
// ErrChanged or a system error.
func OpenOwn(path string, create bool) (*os.File, error) {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	name := filepath.Base(path)
	f, err := dir.OpenFile(name, os.O_RDWR|NoFollow, 0)
	if create && errors.Is(err, fs.ErrNotExist) {
		if f, err = dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|NoFollow, 0o600); err == nil {
			likeFolder(f, dir)
		}
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.Unwrap(err)}
	}
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || names(info) > 1) {
		err = ErrChanged
	}
	// os.Root follows links within the folder. The file may have been renamed meanwhile.
	if now, e := dir.Lstat(name); err == nil && e == nil && now.Mode().Type() == fs.ModeSymlink {
		err = ErrChanged
	}
	if err != nil {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return f, nil
}
