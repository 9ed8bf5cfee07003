//go:build unix

package newfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What somebody else has put in the place of a file is not opened, and not waited for.
func TestOpenOwn(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	write(t, other, "another's")
	for name, put := range map[string]func(path string) error{
		"link":   func(path string) error { return os.Symlink(other, path) },
		"inside": func(path string) error { return os.Symlink("other", path) },
		"loose":  func(path string) error { return os.Symlink(filepath.Join(dir, "new"), path) },
		"second": func(path string) error { return os.Link(other, path) },
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		path := filepath.Join(dir, name)
		if err := put(path); err != nil {
			t.Fatal(err)
		}
		for _, create := range []bool{false, true} {
			if f, err := OpenOwn(path, create); err == nil {
				f.Close()
				t.Errorf("%s was opened", name)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
		t.Error("a file was made where a link leads")
	}
	path := filepath.Join(dir, "own")
	if _, err := OpenOwn(path, false); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
	for range 2 {
		f, err := OpenOwn(path, true)
		if err != nil {
			t.Fatal(err)
		}
		if info, _ := f.Stat(); info.Mode().Perm() != fs.FileMode(0o600) {
			t.Errorf("mode %v", info.Mode())
		}
		f.Close()
	}
}
