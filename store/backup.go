package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/polya-classifier/polya/internal/newfile"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/pages"
)

// Backup writes a copy of the database, as of one moment, to w and returns the number of
// bytes. Training goes on meanwhile. The copy is a database; if ctx ends first, it is
// incomplete and unusable. It has the damage that the database has: Check finds it.
func (db *DB) Backup(ctx context.Context, w io.Writer) (n int64, err error) {
	to := &untilDone{Writer: w, ctx: ctx}
	err = db.View(func(s *Snapshot) error {
		n, err = s.tx.WriteTo(to)
		return db.fail(fault.Advise(err))
	})
	if to.failed != nil { // bbolt's error does not wrap it, and the database is sound
		err = fmt.Errorf("%s: %w", db.Path(), fault.Advise(to.failed))
	}
	return n, err
}

// untilDone writes until a context ends, and keeps why it failed.
type untilDone struct {
	io.Writer
	ctx    context.Context
	failed error
}

func (u *untilDone) Write(b []byte) (n int, err error) {
	if u.failed = u.ctx.Err(); u.failed == nil {
		n, u.failed = u.Writer.Write(b)
	}
	return n, u.failed
}

// Restored describes what Restore did.
type Restored struct {
	// Before is the path to which the previous file was moved, empty if there was none.
	Before string

	Documents uint64 // in the database now
	Bytes     int64
}

// Restore replaces the file at path by a copy of the database at backup, in one step: if
// the process is killed, one or the other is there, whole. The previous file stays beside
// it, with .replaced at the end of its name. The backup is checked first and must be
// sound: otherwise the error wraps a *CorruptError. Nobody may have the database open: the
// error wraps ErrInUse. A file that does not begin like a database is not replaced:
// ErrNotPolya. Only o.Timeout is used, as for writing.
func Restore(ctx context.Context, path, backup string, o Options) (out Restored, err error) {
	defer fault.Guard(&err, path)()
	o = Options{Timeout: o.Timeout, tuning: o.tuning}
	o.Timeout = o.timeout()
	from, err := Open(backup, Options{ReadOnly: true, Timeout: o.Timeout})
	if err != nil {
		return out, err
	}
	defer from.Close()
	report, err := from.Check(ctx, nil)
	if err != nil {
		return out, from.fail(err)
	}
	out.Documents = report.Documents
	if err := from.restore(ctx, path, &o, &out); err != nil {
		return Restored{}, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}

var errSameFile = errors.New("it is the backup itself")

func (db *DB) restore(ctx context.Context, path string, o *Options, out *Restored) error {
	if info, err := os.Stat(path); err == nil && db.file.Is(info) {
		return errSameFile
	}
	old, err := file.Hold(path, o.Timeout)
	switch {
	case errors.Is(err, ErrNotExist):
		old = nil
	case err != nil:
		return err
	default:
		defer old.Close()
		if !pages.ReadMetas(old).Found {
			// A link may lead anywhere, and a name may be mistyped.
			return fmt.Errorf("%w, and stays as it is; move it away first", ErrNotPolya)
		}
	}
	var made *file.File
	out.Before, err = file.Write(path, old, ".replaced", func(n *newfile.File) error {
		if out.Bytes, err = db.Backup(ctx, n); err != nil {
			return fault.WithoutPath(err, db.path)
		}
		if made, err = file.OpenNew(n, o.file()); err != nil {
			return err
		}
		return made.Seal()
	})
	if made != nil {
		made.Discard() // nobody else has had it before its name was on disk
	}
	return err
}

// OpenMemory opens a temporary database: a copy of data, the content of a database file, or a
// new one if data is empty and o does not ask for one that exists. With ReadOnly it cannot be
// changed. It is gone after Close; Backup writes it to a permanent place.
//
// The file is in a private new folder in os.TempDir, which Close removes; a process that is
// killed leaves it, named polya- and a number.
func OpenMemory(data []byte, o Options) (db *DB, err error) {
	dir, err := os.MkdirTemp("", "polya-*")
	if err != nil {
		return nil, fmt.Errorf("a database in memory needs a folder for a file: %w", err)
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	path := filepath.Join(dir, "memory.polya")
	if len(data) > 0 {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return nil, err
		}
	}
	t := *o.tuned()
	t.NoSync = true
	o.tuning = &t
	if db, err = Open(path, o); err != nil {
		return nil, err
	}
	db.folder = dir
	return db, nil
}
