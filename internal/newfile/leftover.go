package newfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// RemoveLeftOver removes files beside path that Create made with one of these marks and
// that killed processes left behind: no process has them locked. Where files cannot be
// locked it removes none.
func RemoveLeftOver(path string, marks ...string) {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := fs.ReadDir(dir.FS(), ".") // those that can be read
	for _, e := range names {
		if temporary(e.Name(), filepath.Base(path), marks) {
			removeUnlocked(dir, e.Name())
		}
	}
}

// temporary reports whether a name has the form that Create gives.
func temporary(name, base string, marks []string) bool {
	rest, found := strings.CutPrefix(name, base)
	if !found {
		return false
	}
	for _, mark := range marks {
		digits, found := strings.CutPrefix(rest, mark)
		if found && digits != "" && strings.Trim(digits, "0123456789") == "" {
			return true
		}
	}
	return false
}

// removeUnlocked removes a file if nobody has it locked. A link or a pipe of that name
// is not ours.
func removeUnlocked(dir *os.Root, name string) {
	before, err := dir.Lstat(name)
	if err != nil || !before.Mode().IsRegular() {
		return
	}
	f, err := dir.OpenFile(name, os.O_RDWR|NoFollow, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && os.SameFile(info, before) && lock(f) == nil {
		_ = dir.Remove(name)
	}
}
