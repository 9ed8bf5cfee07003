//go:build !unix || solaris || aix

package newfile

import (
	"errors"
	"io/fs"
	"os"
)

// NoFollow is 0 here: links are followed, by os.Root none out of the folder.
const NoFollow = 0

// lock is not supported: no lock here can be shared by two descriptors of one process.
func lock(*os.File) error { return errors.ErrUnsupported }

// Again returns a second descriptor of the file.
func (f *File) Again() (*os.File, error) {
	again, err := f.dir.OpenFile(f.name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if info, err := again.Stat(); err != nil || !os.SameFile(f.info, info) {
		again.Close()
		return nil, errors.Join(err, ErrChanged)
	}
	return again, nil
}

// names cannot count the names of a file here.
func names(fs.FileInfo) uint64 { return 1 }

// sameOwner has nothing to do where a file inherits its owner.
func sameOwner(*os.File, fs.FileInfo, fs.FileInfo) error { return nil }
