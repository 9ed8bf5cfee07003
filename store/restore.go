package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/polya-classifier/polya/internal/newfile"
	"github.com/polya-classifier/polya/store/internal/damage"
	"github.com/polya-classifier/polya/store/internal/file"
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
	if err := r.run(ctx, path, timeout, &out); err != nil {
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

func (r *restoring) run(ctx context.Context, path string, timeout time.Duration, out *Restored) error {
	if err := r.take(path, timeout); err != nil {
		return err
	}
	defer r.unlock()
	file.RemoveLeftOver(r.path)
	n, err := newfile.Create(r.path, file.MarkNew)
	if err != nil {
		return file.Advise(file.Bolt(err))
	}
	defer n.Discard()
	if out.Bytes, err = r.from.Backup(ctx, n); err != nil {
		return file.WithoutPath(err, r.from.path)
	}
	f, err := file.OpenNew(n, (&Options{tuning: r.options.tuning}).file(), nil)
	if err != nil {
		return err
	}
	defer f.Discard() // nobody else learns into it before its name is on the disk
	if err := f.Seal(); err != nil {
		return err
	}
	out.Before, err = file.Place(n, r.old, ".replaced", r.unlock)
	return file.Advise(err)
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
		return file.ErrNoTarget
	}
	if err == nil {
		info, err = os.Stat(r.path)
	}
	if err != nil {
		return file.Plain(err)
	}
	if !info.Mode().IsRegular() {
		return file.ErrNotRegular
	}
	if r.from.file.Is(info) {
		return errSameFile
	}
	f, unlock, err := file.Hold(r.path, timeout)
	if err != nil {
		return err
	}
	r.unlock = unlock
	if !pages.ReadMetas(f).Found {
		// A link may lead anywhere, and a name may be mistyped.
		return fmt.Errorf("%w, and stays as it is; move it away first", ErrNotPolya)
	}
	r.old, err = f.Stat()
	return file.Plain(err)
}
