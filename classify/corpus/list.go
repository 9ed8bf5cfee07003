package corpus

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
)

// lister visits the files of a folder in byte order of their paths.
type lister struct {
	ctx context.Context

	// maildirs says that folders with cur/ and new/ are Maildirs, subfolders that
	// those in them, and hidden ones, are read too.
	maildirs, subfolders bool

	exclude []string // patterns of folders that are not read
	root    *root    // that links may not lead out of
	remark  func(path string, what Oddity, n int)

	left, links int // Maildirs that were not read, links that were not followed

	// visit is called for each regular file; message says that the file lies in
	// a Maildir. An error stops the walk.
	visit func(path string, message bool) error

	// fail is told of each folder or link that cannot be read.
	fail func(error)
}

func newLister(ctx context.Context, o *Options) *lister {
	return &lister{ctx: ctx, maildirs: readsMaildirs(o.Format), subfolders: o.Subfolders, exclude: o.Exclude, remark: o.remark}
}

// place is what a folder is, which decides what is read in it.
type place int

const (
	nowhere  place = iota // not read
	plain                 // every file and folder
	maildir               // cur/, new/ and folders that are Maildirs too
	messages              // cur/ or new/: every file is a message
)

// folder visits what lies below dir.
func (l *lister) folder(dir string) error {
	p := plain
	if l.maildirs && isMaildir(dir) {
		p = maildir
	}
	err := l.entries(dir, p)
	if l.left > 0 {
		l.remark(dir, LeftFolders, l.left)
	}
	if l.links > 0 {
		l.remark(dir, LeftLinks, l.links)
	}
	return err
}

// entries visits the entries of dir, which is at p.
func (l *lister) entries(dir string, p place) error {
	entries, err := readSorted(dir)
	if err != nil {
		l.fail(err)
	}
	for _, e := range entries {
		err := l.ctx.Err()
		if err != nil {
			return err
		}
		path := filepath.Join(dir, e.Name())
		if e.IsDir() {
			if sub := l.inside(p, path); sub != nowhere {
				err = l.entries(path, sub)
			}
		} else if p != maildir && e.Name()[0] != '.' {
			err = l.file(path, e, p == messages)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inside tells what the folder at path, which lies in a folder at p, is.
func (l *lister) inside(p place, path string) place {
	name := filepath.Base(path)
	switch {
	case p == messages:
		return nowhere
	case p == maildir && (name == "cur" || name == "new"):
		return messages
	case excluded(l.exclude, name):
		return nowhere
	case l.maildirs && isMaildir(path):
		if !l.subfolders && (p == maildir || name[0] == '.') {
			l.left++
			return nowhere
		}
		return maildir
	case p == maildir || name[0] == '.':
		return nowhere
	}
	return plain
}

// excluded reports whether the name of a folder, or of the class that it is, matches a
// pattern.
func excluded(patterns []string, name string) bool {
	bare := decodeFolderName(strings.TrimPrefix(name, "."))
	for _, p := range patterns {
		for _, n := range []string{name, bare} {
			if found, err := path.Match(p, n); found || err != nil && p == n {
				return true
			}
		}
	}
	return false
}

// file visits path if it is a regular file or a link to one.
func (l *lister) file(path string, e fs.DirEntry, message bool) error {
	mode := e.Type()
	if mode&fs.ModeSymlink != 0 {
		info, err := l.root.stat(path)
		if err != nil {
			if _, err := os.Stat(path); err != nil {
				l.fail(readError(err))
			} else {
				l.links++ // it is there, but not in the folder
			}
			return nil
		}
		mode = info.Mode().Type()
	}
	if !mode.IsRegular() {
		return nil
	}
	return l.visit(path, message)
}

// readSorted gives the entries of dir in byte order of the paths below it, in
// which a folder's name is followed by a slash: "a-b" comes before "a/b".
func readSorted(dir string) ([]fs.DirEntry, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, readError(err)
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	sort.Slice(entries, func(i, j int) bool { return sortKey(entries[i]) < sortKey(entries[j]) })
	if err != nil {
		return entries, readError(err)
	}
	return entries, nil
}

func sortKey(e fs.DirEntry) string {
	if e.IsDir() {
		return e.Name() + "/"
	}
	return e.Name()
}

// isMaildir reports whether dir has cur/ and new/.
func isMaildir(dir string) bool {
	for _, name := range []string{"cur", "new"} {
		if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// renamed finds a message of a Maildir that got other flags, or was seen for the
// first time, since the folder was listed: a mail program may be at work.
func renamed(path string) (string, bool) {
	name, _, _ := strings.Cut(filepath.Base(path), ":")
	maildir := filepath.Dir(filepath.Dir(path))
	for _, sub := range []string{"cur", "new"} {
		entries, err := os.ReadDir(filepath.Join(maildir, sub))
		if err != nil {
			continue
		}
		for _, e := range entries {
			if unique, _, _ := strings.Cut(e.Name(), ":"); unique == name {
				return filepath.Join(maildir, sub, e.Name()), true
			}
		}
	}
	return "", false
}

// readError says in one line what could not be read and what to do about it.
func readError(err error) error {
	var p *fs.PathError
	switch {
	case !errors.As(err, &p):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w: check the path", p.Path, p.Err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: %w: check who may read it", p.Path, p.Err)
	}
	return fmt.Errorf("%s: %w", p.Path, p.Err)
}
