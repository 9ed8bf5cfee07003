package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/polya-classifier/polya/internal/newfile"
	"github.com/polya-classifier/polya/store/internal/fault"
)

// makeFile makes the file of a new database, with bbolt's first pages and no bucket, unless
// there is one. It gets its name when it is on disk: a power failure would otherwise leave a
// damaged file. A link, unlike a rename, does not replace a file that somebody else has made.
// On a file system without links the file is made empty, and bbolt writes its first pages.
func makeFile(path string, o Options) error {
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return errNoTarget
		}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	newfile.RemoveLeftOver(path, markNew)
	f, err := newfile.Create(path, markNew)
	if err != nil {
		return fault.Advise(fault.Bolt(err))
	}
	defer f.Discard()
	f.LikeFolder()
	o.Read = nil // there is nothing to read yet
	b, err := OpenNew(f, o)
	if err != nil {
		return fault.Advise(err)
	}
	defer b.Discard() // after it has its name, or others would remove it as left over
	err = f.Link()
	if err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, newfile.ErrChanged) {
		var empty *os.File
		if empty, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			err = empty.Close()
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return fault.Advise(fault.Plain(err))
}

// SyncName makes the name of the file as durable as its content. The header of a new file
// is written after that, so that a file with a header has a durable name.
func (f *File) SyncName() error {
	if f.options.NoSync {
		return nil
	}
	path, err := filepath.EvalSymlinks(f.place)
	if err != nil {
		return fault.Plain(err)
	}
	return fault.Plain(newfile.SyncFolder(filepath.Dir(path)))
}
