package maildir

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxDepth is the largest depth of nested plain folders.
const maxDepth = 8

// Folders returns the folders of the Maildir, by their paths from its root: "." for the root
// itself, if messages can lie there, ".Work", "Lists/go".
func (b *Box) Folders(context.Context) (names []string, err error) {
	err = filepath.WalkDir(b.root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrPermission) && path != b.root {
			return fs.SkipDir
		}
		if err != nil || !d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(b.root, path) // which is below it
		base := d.Name()
		if name != "." && (base == "new" || base == "cur" || base == "tmp") || strings.Count(name, string(filepath.Separator)) >= maxDepth {
			return fs.SkipDir
		}
		if isFolder(path) {
			names = append(names, filepath.ToSlash(name))
		} else if strings.HasPrefix(base, ".") && name != "." {
			return fs.SkipDir // it belongs to a program
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}

// isFolder reports whether messages lie in a folder, or may: nobody may look into it.
func isFolder(path string) bool {
	for _, dir := range dirs {
		info, err := os.Stat(filepath.Join(path, dir))
		if errors.Is(err, fs.ErrPermission) {
			return true
		}
		if err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}
