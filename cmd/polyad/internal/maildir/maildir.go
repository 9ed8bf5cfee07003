// Package maildir is a mailbox in the files of a Maildir, whose folders are Maildir++ (".Work") or plain
// ones ("Work"). Only the folder of a message changes: its base name and its flags stay.
package maildir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/polya-classifier/polya/cmd/internal/outfile"
	"github.com/polya-classifier/polya/cmd/polyad/internal/watching"
	"github.com/polya-classifier/polya/internal/newfile"
)

// A Box is a Maildir. It is a watching.Box for one goroutine.
type Box struct {
	root    string
	folders map[string]*folder
}

// folder is the last listing of a folder.
type folder struct {
	files map[string]string // by base name: the path from the folder, "cur/1700.x:2,S"
	list  []watching.Copy
	times [2]time.Time // modification times of new and cur when they were read
	clean bool         // any later change will change these times; else Wait has it listed again
}

// dirs are the folders of a Maildir that hold messages. new is read before cur, so that a message
// that a mail program moves from one to the other is not missed.
var dirs = [2]string{"new", "cur"}

// New returns the Maildir at root.
func New(root string) *Box { return &Box{root: root, folders: map[string]*folder{}} }

// Close does nothing.
func (b *Box) Close() error { return nil }

// coarse is how long a file system may give two changes of a folder the same time, and coarsest
// how long one that knows no fractions of a second.
const (
	coarse   = 20 * time.Millisecond
	coarsest = 2 * time.Second
)

// attempts is how often a folder is reread if it changes meanwhile.
const attempts = 50

// List lists a folder; a missing folder is empty. A folder that changes while it is read is
// reread: a file renamed meanwhile may appear under neither name.
func (b *Box) List(ctx context.Context, name string) ([]watching.Copy, error) {
	list, err := b.list(ctx, name)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR) {
		err = fmt.Errorf("%w: %w", watching.ErrFolder, outfile.PlainError(err))
	}
	return list, err
}

func (b *Box) list(ctx context.Context, name string) ([]watching.Copy, error) {
	old := b.folders[name]
	for range attempts {
		times, since, err := b.times(name)
		if errors.Is(err, fs.ErrNotExist) {
			delete(b.folders, name)
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if old != nil && old.clean && old.times == times {
			return old.list, nil
		}
		f, err := b.read(name)
		if err != nil {
			return nil, err
		}
		after, _, err := b.times(name)
		if err != nil {
			return nil, err
		}
		f.times, f.clean = times, since > coarsest
		if b.folders[name] = f; after == times && since.Abs() > coarse {
			return f.list, nil
		}
		if err := watching.Pause(ctx, coarse); err != nil { // until later changes get another time
			return nil, err
		}
	}
	return nil, fmt.Errorf("it changes all the time")
}

// times returns the modification times of new and cur, and how long ago the later one was, less than 0
// where the clock of the file system is ahead.
func (b *Box) times(name string) (times [2]time.Time, since time.Duration, err error) {
	for i, dir := range dirs {
		info, err := os.Stat(filepath.Join(b.root, name, dir))
		if err != nil {
			return times, 0, err
		}
		times[i] = info.ModTime()
	}
	return times, min(time.Since(times[0]), time.Since(times[1])), nil
}

func (b *Box) read(name string) (*folder, error) {
	f := &folder{files: map[string]string{}}
	for _, dir := range dirs {
		entries, err := os.ReadDir(filepath.Join(b.root, name, dir))
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".") || !e.Type().IsRegular() {
				continue
			}
			base, flags := split(e.Name())
			if strings.ContainsAny(flags, "DT") {
				continue
			}
			info, err := e.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue // and the folder's time has changed
			}
			if err != nil {
				return nil, err
			}
			if _, twice := f.files[base]; !twice {
				f.list = append(f.list, watching.Copy{Key: base, Read: strings.ContainsAny(flags, "SRFP"), Delivered: info.ModTime()})
			}
			f.files[base] = dir + "/" + e.Name()
		}
	}
	return f, nil
}

// split splits the name of a file into the part that stays and the flags.
func split(name string) (base, flags string) {
	base, info, _ := strings.Cut(name, ":")
	flags, standard := strings.CutPrefix(info, "2,")
	if !standard {
		return base, ""
	}
	return base, flags
}

// with calls do with the path of a message, and again if the message was renamed meanwhile.
func (b *Box) with(ctx context.Context, name, key string, do func(path string) error) error {
	for range attempts {
		f := b.folders[name]
		if f == nil || f.files[key] == "" {
			return watching.ErrGone
		}
		path := filepath.Join(b.root, name, f.files[key])
		err := do(path)
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if _, there := os.Lstat(path); there == nil { // another file is missing, not the message
			return fmt.Errorf("%w: %w", watching.ErrUnusable, err)
		}
		delete(b.folders, name)
		if _, err := b.List(ctx, name); err != nil {
			return err
		}
	}
	return watching.ErrGone
}

// Read reads a message.
func (b *Box) Read(ctx context.Context, name, key string) (raw []byte, err error) {
	err = b.with(ctx, name, key, func(path string) error {
		raw, err = watching.ReadFile(path, newfile.NoFollow)
		return err
	})
	return raw, err
}

// Move moves a message to another folder, from new to new and from cur to cur, under its name.
func (b *Box) Move(ctx context.Context, from, key, to string) error {
	there, err := b.List(ctx, to)
	if err == nil && b.folders[to] == nil {
		err = fs.ErrNotExist
	}
	if err != nil {
		return fmt.Errorf("%w: %w", watching.ErrFolder, outfile.PlainError(err))
	}
	if slices.ContainsFunc(there, func(c watching.Copy) bool { return c.Key == key }) {
		return fmt.Errorf("%w: %s has a message of that name", watching.ErrUnusable, to)
	}
	return b.with(ctx, from, key, func(path string) error {
		dir := filepath.Base(filepath.Dir(path))
		target := filepath.Join(b.root, to, dir)
		err := rename(path, filepath.Join(target, filepath.Base(path)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return err
		case errors.Is(err, fs.ErrExist):
			return fmt.Errorf("%w: %w", watching.ErrUnusable, err)
		case err != nil:
			return fmt.Errorf("%w: %w", watching.ErrFolder, outfile.PlainError(err))
		}
		return errors.Join(newfile.SyncFolder(target), newfile.SyncFolder(filepath.Dir(path)))
	})
}

// Suggest does nothing: only Dovecot can read what a Maildir has for keywords.
func (b *Box) Suggest(context.Context, string, string, []string) error { return nil }

// Unsuggest does nothing.
func (b *Box) Unsuggest(context.Context, string) error { return nil }

// renameUnique moves a file, unless there is one of that name. Nobody makes one between the two
// steps: the names of messages are unique.
func renameUnique(from, to string) error {
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", to, fs.ErrExist)
	}
	return os.Rename(from, to)
}

const (
	// often is how often folders are looked at for a change.
	often = 500 * time.Millisecond

	// quiet is how long to wait for more changes, so that related ones are seen together.
	quiet = 50 * time.Millisecond
)

// Wait waits until something has changed in the folders that were listed, at most for this long.
func (b *Box) Wait(ctx context.Context, most time.Duration) error {
	for end, again := time.Now().Add(most), false; !b.changed(again); again = true {
		left := time.Until(end)
		if left <= 0 {
			return nil
		}
		if err := watching.Pause(ctx, min(left, often)); err != nil {
			return err
		}
	}
	return watching.Pause(ctx, quiet)
}

// changed reports whether a folder has changed since it was listed or, asked again, may have.
func (b *Box) changed(again bool) bool {
	for name, f := range b.folders {
		if times, _, err := b.times(name); err != nil || times != f.times || again && !f.clean {
			return true
		}
	}
	return false
}
