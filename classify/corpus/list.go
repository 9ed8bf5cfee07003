package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// place is the role of a folder, which decides what is read in it.
type place int

const (
	nowhere  place = iota // not read
	plain                 // every file and folder
	maildir               // cur/, new/ and folders that are Maildirs too
	messages              // cur/ or new/: every file is a message
)

// list visits the files below dir in byte order of their paths.
func (w *walker) list(dir string) error {
	p := plain
	if w.o.readsMaildir(dir) {
		p = maildir
	}
	w.left, w.links, w.linked = 0, 0, 0
	err := w.entries(dir, p)
	w.o.remark(dir, map[bool]Oddity{false: LeftFolders, true: LeftSpecial}[w.classes], w.left)
	w.o.remark(dir, LeftLinks, w.links)
	w.o.remark(dir, LinkedFolders, w.linked)
	return err
}

// entries visits the entries of dir, which is at p.
func (w *walker) entries(dir string, p place) error {
	entries, err := readSorted(dir)
	if err != nil {
		w.failed.add(err)
	}
	before := beforeNames(dir)
	mailboxes := isSpool(dir) || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.HasSuffix(e.Name(), mailboxIndex) })
	for _, e := range entries {
		err := w.ctx.Err()
		if err != nil {
			return err
		}
		path := before + e.Name()
		if e.IsDir() {
			if sub := w.inside(p, path, w.o.Subfolders); sub != nowhere {
				err = w.entries(path, sub)
			}
		} else if p != maildir && e.Name()[0] != '.' && filepath.Ext(path) != mailboxIndex && (e.Name() != "Info.plist" || filepath.Ext(dir) != ".mbox") {
			w.mailboxes = mailboxes
			err = w.entry(path, e, p == messages)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inside returns the place of the folder at path, in a folder with place p; subfolders is Options.Subfolders.
func (w *walker) inside(p place, path string, subfolders bool) place {
	name := filepath.Base(path)
	switch {
	case p == messages:
		return nowhere
	case p == maildir && (name == "cur" || name == "new"):
		return messages
	case excluded(w.o.Exclude, name):
		return nowhere
	case w.o.readsMaildir(path):
		if !subfolders && (p == maildir || name[0] == '.') {
			w.left++
			return nowhere
		}
		return maildir
	case p == maildir || name[0] == '.':
		return nowhere
	}
	return plain
}

// excluded reports whether the name of a folder or mailbox, or of its class, matches a pattern.
func excluded(patterns []string, name string) bool {
	for _, p := range patterns {
		for _, n := range []string{name, FolderName(name), MailboxName(name)} {
			if found, err := path.Match(p, n); found || err != nil && p == n {
				return true
			}
		}
	}
	return false
}

// entry visits path if it is a regular file or a link to one.
func (w *walker) entry(path string, e fs.DirEntry, message bool) error {
	mode := e.Type()
	if mode&fs.ModeSymlink != 0 {
		target, err := os.Stat(path)
		if err != nil {
			w.failed.add(readError(err))
			return nil
		}
		mode = target.Mode().Type()
		if mode.IsDir() {
			w.linked++
		} else if w.root != nil && !w.root.has(path) {
			w.links++ // its target exists, outside of the folder
			return nil
		}
	}
	if !mode.IsRegular() {
		return nil
	}
	return w.visit(path, message)
}

// readSorted returns the entries of dir in byte order of the paths below it, where a
// slash follows a folder's name: "a-b" comes before "a/b".
func readSorted(dir string) ([]fs.DirEntry, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, readError(err)
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(sortKey(a), sortKey(b)) })
	return entries, readError(err)
}

func sortKey(e fs.DirEntry) string {
	if e.IsDir() {
		return e.Name() + "/"
	}
	return e.Name()
}

func (o *Options) readsMaildir(dir string) bool {
	return (o.Format == Auto || o.Format == Mail || o.Format == Maildir) && isMaildir(dir)
}

func isMaildir(dir string) bool {
	for _, name := range []string{"cur", "new"} {
		if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// renamed finds a message of a Maildir whose flags have changed, or that was moved from
// new/ to cur/, since the folder was listed: a mail program may be active.
func renamed(path string) (string, bool) {
	name, _, _ := strings.Cut(filepath.Base(path), ":")
	maildir := filepath.Dir(filepath.Dir(path))
	for _, sub := range []string{"cur", "new"} {
		entries, _ := os.ReadDir(filepath.Join(maildir, sub))
		for _, e := range entries {
			if unique, _, _ := strings.Cut(e.Name(), ":"); unique == name {
				return filepath.Join(maildir, sub, e.Name()), true
			}
		}
	}
	return "", false
}

// readError returns a one-line error about an unreadable path, with advice.
func readError(err error) error {
	var p *fs.PathError
	switch {
	case !errors.As(err, &p):
		return err
	case errors.Is(err, fs.ErrNotExist):
		if _, is := os.Readlink(p.Path); is == nil {
			return fmt.Errorf("%s: a link to what is not there: %w", p.Path, p.Err)
		}
		return fmt.Errorf("%s: %w: check the path", p.Path, p.Err)
	}
	return fmt.Errorf("%s: %w", p.Path, p.Err)
}
