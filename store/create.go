package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/internal/newfile"
	"github.com/polya-classifier/polya/store/internal/damage"
)

// errNoTarget is returned for a symbolic link whose file would have to be made. To
// make a file through a link is to make it wherever whoever owns the folder wants.
var errNoTarget = errors.New("it is a symbolic link to a file that is not there; remove it, or name the file that it leads to")

// makeFile makes the file of a new database, with bbolt's first pages and no
// bucket, unless there is one, and says whether it did. It is written under another
// name and gets its own when it is on the disk: the first pages, all written at once,
// would otherwise be a damaged file if the power failed meanwhile. A link, other than
// a rename, does not take the place of a file that somebody else has made. What a
// process that was killed meanwhile has left, with .new- in its name, is removed.
//
// On a disk that knows no links the file is made empty, and bbolt writes its first
// pages.
func makeFile(path string, t *tuning) (made bool, err error) {
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return false, errNoTarget
		}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	newfile.RemoveLeftOver(path, markNew)
	f, err := newfile.Create(path, markNew)
	if err != nil {
		return false, withAdvice(boltError(err))
	}
	defer f.Discard()
	b, _, err := openNew(f, t)
	if err != nil {
		return false, withAdvice(err)
	}
	defer b.Close() // with the name, or others would take it for left over
	err = f.Link()
	if err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, newfile.ErrChanged) {
		var empty *os.File
		if empty, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			err = empty.Close()
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, withAdvice(plainLinkError(plainPathError(err)))
}

// unmake removes the file that has just been made, and that b is open in, if nothing
// could be written to it.
func unmake(path string, b *bolt.DB, file *os.File) {
	var ignored error
	defer damage.Guard(&ignored, "")()
	empty := false
	_ = b.View(func(tx *bolt.Tx) error {
		first, _ := tx.Cursor().First()
		empty = first == nil
		return nil
	})
	if info, err := file.Stat(); err == nil && empty {
		_ = newfile.Remove(path, info)
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
