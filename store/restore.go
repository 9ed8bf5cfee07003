package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/polya-classifier/polya/internal/newfile"
	"github.com/polya-classifier/polya/store/internal/damage"
	"github.com/polya-classifier/polya/store/internal/pages"
)

// RestoreOptions say how to restore a database.
type RestoreOptions struct {
	// Timeout is how long to wait for files that are in use; 0 is WriteTimeout.
	Timeout time.Duration

	tuning *tuning // of the new file; nil is the standard one
}

// Restored says what was restored.
type Restored struct {
	// Before is where the file is now that was in the backup's place, empty if there
	// was none.
	Before string

	Documents uint64 // in the database now
	Bytes     int64
}

// Restore puts a copy of the database at backup in the place of the file at path, in
// one step: a process that is killed leaves the one or the other there, whole. The file
// that was there stays beside it, with .replaced at the end of its name. The backup is
// checked first and must be sound: otherwise the error wraps a *CorruptError. Nobody
// may have the database open: the error wraps ErrInUse. A file whose first pages are
// not those of a database is not replaced: ErrNotPolya.
func Restore(ctx context.Context, path, backup string, o RestoreOptions) (out Restored, err error) {
	defer damage.Guard(&err, path)()
	timeout := cmp.Or(o.Timeout, WriteTimeout)
	from, err := Open(backup, Options{ReadOnly: true, Timeout: timeout})
	if err != nil {
		return out, err
	}
	defer from.Close()
	if out.Documents, err = from.mustBeSound(ctx); err != nil {
		return out, from.fail(err)
	}
	r := restoring{from: from, options: o}
	if err := r.run(path, timeout, &out); err != nil {
		return Restored{}, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}

// mustBeSound returns the number of documents, or the first problem that Check finds.
func (db *DB) mustBeSound(ctx context.Context) (uint64, error) {
	var problem error
	report, err := db.Check(ctx, func(err error) {
		if problem == nil {
			problem = err
		}
	})
	if err == nil {
		err = problem
	}
	return report.Documents, err
}

// restoring is a restoration under way.
type restoring struct {
	from    *DB
	options RestoreOptions
	path    string      // of the database, without links
	old     fs.FileInfo // the file that is there, or nil
	unlock  func()      // of old
}

var errSameFile = errors.New("it is the backup itself")

func (r *restoring) run(path string, timeout time.Duration, out *Restored) error {
	if err := r.take(path, timeout); err != nil {
		return err
	}
	defer r.unlock()
	removeLeftOver(r.path)
	f, err := newfile.Create(r.path, markNew)
	if err != nil {
		return withAdvice(boltError(err))
	}
	defer f.Discard()
	if out.Bytes, err = r.from.Backup(f); err != nil {
		return withoutPath(err, r.from.path)
	}
	b, _, err := openNew(f, r.options.tuning)
	if err != nil {
		return err
	}
	defer b.Close() // nobody else learns into it before its name is on the disk
	if err := putUnnamed(b); err != nil {
		return withAdvice(err)
	}
	if err := f.Sync(); err != nil {
		return withAdvice(plainPathError(err))
	}
	if out.Before, err = r.place(f); err != nil {
		return withAdvice(plainLinkError(plainPathError(err)))
	}
	return syncDir(filepath.Dir(r.path))
}

// take finds the file that is there, and locks it.
func (r *restoring) take(path string, timeout time.Duration) error {
	r.unlock = func() {}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		r.path = path
		return nil
	}
	if err == nil {
		r.path, err = filepath.EvalSymlinks(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return errNoTarget
	}
	if err == nil {
		info, err = os.Stat(r.path)
	}
	if err != nil {
		return plainPathError(err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: not a regular file", ErrNotPolya)
	}
	if own, err := r.from.lock.File().Stat(); err == nil && os.SameFile(info, own) {
		return errSameFile
	}
	f, unlock, err := lockFile(r.path, timeout)
	if err != nil {
		return err
	}
	r.unlock = unlock
	if !pages.ReadMetas(f).Found {
		// A link may lead anywhere, and a name may be mistyped.
		return fmt.Errorf("%w, and stays as it is; move it away first", ErrNotPolya)
	}
	r.old, err = f.Stat()
	return plainPathError(err)
}

// place gives f the path, and the file that is there another name, which it returns.
func (r *restoring) place(f *newfile.File) (before string, err error) {
	if r.old == nil {
		err := f.Link()
		if err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, newfile.ErrChanged) {
			err = f.Replace(nil) // the disk knows no links
		}
		return "", err
	}
	if err := f.Like(r.old); err != nil {
		return "", err
	}
	if before, err = f.KeepAside(r.old, ".replaced"); err != nil {
		return "", err
	}
	if runtime.GOOS == "windows" {
		r.unlock() // an open file keeps its name there
	}
	if err := f.Replace(r.old); err != nil {
		f.GiveBack(before)
		return "", err
	}
	return before, nil
}
