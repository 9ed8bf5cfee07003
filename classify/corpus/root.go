package corpus

import (
	"os"
	"path/filepath"
)

// root opens files below a folder and follows no link out of it: who may put a link
// into a folder that another user reads shall not have other files of that user read.
// A nil root opens any file.
type root struct {
	dir    string
	within *os.Root
	folder *os.File // the same, for openBeneath; nil if it cannot be had
}

// enter opens the folder at dir as the root of what is walked, unless it lies in one
// or links are followed. The function that is returned closes it.
func (w *walker) enter(dir string) (leave func(), err error) {
	if w.root != nil || w.o.FollowLinks {
		return func() {}, nil
	}
	within, err := os.OpenRoot(dir)
	if err != nil {
		return nil, readError(err)
	}
	folder, _ := within.Open(".")
	w.root = &root{dir, within, folder}
	return func() {
		folder.Close() // nil is refused
		within.Close()
		w.root = nil
	}, nil
}

// open opens the file at path.
func (r *root) open(path string) (*os.File, error) {
	if r == nil {
		return os.Open(path)
	}
	if f := openBeneath(r.folder, r.rel(path), path); f != nil {
		return f, nil
	}
	f, err := r.within.Open(r.rel(path))
	return f, named(err, path)
}

// stat tells what the link at path leads to.
func (r *root) stat(path string) (os.FileInfo, error) {
	if r == nil {
		return os.Stat(path)
	}
	info, err := r.within.Stat(r.rel(path))
	return info, named(err, path)
}

// rel returns path, which was walked from the folder, as it is called in the folder. What
// cannot be is "", which is no file.
func (r *root) rel(path string) string {
	rel, _ := filepath.Rel(r.dir, path)
	return rel
}

// named has an error name the whole path.
func named(err error, path string) error {
	if p, ok := err.(*os.PathError); ok {
		return &os.PathError{Op: p.Op, Path: path, Err: p.Err}
	}
	return err
}
