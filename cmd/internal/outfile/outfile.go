// Package outfile writes files that are complete or do not exist.
package outfile

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/internal/newfile"
)

// Write makes the file at path from the output of write, completely or not at all: it
// writes a temporary file and renames it when it is on disk. Only its owner may read it,
// since it holds words of people's mail. It replaces an existing file only by force, and
// the database never.
func Write(path, database string, force bool, write func(io.Writer) error) (err error) {
	if reading.SameFile(path, database) {
		return fmt.Errorf("%s: this is the database itself; name another file", path)
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s: this is a folder; name a file in it", path)
	case err == nil && !info.Mode().IsRegular():
		return writeOpen(path, write) // a pipe, or /dev/stdout
	case err == nil && !force:
		return fmt.Errorf("%s: exists already; name another file, or replace it by --force", path)
	}
	newfile.RemoveLeftOver(path, markNew)
	return plainWriteError(path, newfile.Write(path, markNew, write))
}

// markNew is in the names of files that are being written, before some digits.
const markNew = ".new-"

func writeOpen(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return plainWriteError(path, err)
	}
	return errors.Join(write(f), f.Close())
}

// plainWriteError names the file that was asked for instead of the temporary one.
func plainWriteError(path string, err error) error {
	if errors.As(err, new(*os.PathError)) || errors.As(err, new(*os.LinkError)) || errors.Is(err, newfile.ErrChanged) {
		return fmt.Errorf("%s: cannot be written: %w", path, PlainError(err))
	}
	return err
}

// PlainError removes the path, which the caller names.
func PlainError(err error) error {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}

// TempFolder makes a new folder in $TMPDIR and returns its path. Its name begins with prefix.
// The error says where it cannot be made, and what to do.
func TempFolder(prefix string) (string, error) {
	dir, err := os.MkdirTemp("", prefix)
	if err != nil {
		err = fmt.Errorf("%s: no temporary folder can be made there: %w; set TMPDIR to a folder that can be written", os.TempDir(), PlainError(err))
	}
	return dir, err
}
