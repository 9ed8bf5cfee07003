package corpus

import (
	"os"
	"path/filepath"
	"strings"
)

// root opens files below a folder and follows no link out of it: a user who can put a
// link into a folder that another user reads must not make that user read other files. A
// nil root opens any file.
type root struct {
	before string // the prefix of paths in it
	within *os.Root
	folder *os.File // the same folder, for openBeneath; nil if unsupported
}

// enter opens the folder at dir as the root of a walk, unless it is in one or links are
// followed. leave closes it.
func (w *walker) enter(dir string) (leave func(), err error) {
	if w.root != nil || w.o.FollowLinks {
		return func() {}, nil
	}
	within, err := os.OpenRoot(dir)
	if err != nil {
		return nil, readError(err)
	}
	folder, _ := within.Open(".")
	w.root = &root{beforeNames(dir), within, folder}
	return func() {
		folder.Close() // nil is refused
		within.Close()
		w.root = nil
	}, nil
}

func (r *root) open(path string) (*os.File, error) {
	if r == nil {
		return os.Open(path)
	}
	if f := openBeneath(r.folder, r.rel(path), path); f != nil {
		return f, nil
	}
	f, err := r.within.Open(r.rel(path))
	if p, ok := err.(*os.PathError); ok {
		p.Path = path
	}
	return f, err
}

// has reports whether the target of the link at path is in the folder.
func (r *root) has(path string) bool {
	_, err := r.within.Stat(r.rel(path))
	return err == nil
}

// rel returns path, which is below the folder, relative to the folder.
func (r *root) rel(path string) string { return strings.TrimPrefix(path, r.before) }

// beforeNames returns the prefix that filepath.Join puts before a name in dir, to avoid
// joining the whole path for each name.
func beforeNames(dir string) string { return strings.TrimSuffix(filepath.Join(dir, "-"), "-") }
