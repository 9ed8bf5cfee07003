package newfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

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
	f, err := dir.OpenFile(name, os.O_RDWR|noFollow, 0)
	if create && errors.Is(err, fs.ErrNotExist) {
		if f, err = dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|noFollow, 0o600); err == nil {
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
