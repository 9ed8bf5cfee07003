package newfile

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

// SyncFolder makes the names in a folder, which is no link, durable, where the system can do that to a
// folder that this process may read.
func SyncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(path)
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
