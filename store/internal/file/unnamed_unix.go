//go:build unix

package file

import (
	"cmp"
	"os"

	"github.com/polya-classifier/polya/internal/newfile"
)

// createUnnamed makes an empty file without a name on the disk of path or, where its
// folder cannot be written, where temporary files are.
func createUnnamed(path string) (*os.File, error) {
	if f, err := newfile.Create(path, markAside); err == nil {
		own, err := f.Again()
		f.Discard()
		return own, err
	}
	f, err := os.CreateTemp("", "polya-aside-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, cmp.Or(f.Close(), err)
	}
	return f, nil
}
