package file

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/pages"
)

// This file detects changes that somebody makes to the file of an open database: a backup
// moved or copied over it, or its removal. The process has the old file open, and would
// learn into a file without a name, or write pages of the old state into the new one.

// standing is the state of the file when this process opened it or wrote it last.
type standing struct {
	info  fs.FileInfo // which file has it
	metas [2][pages.MetaSize]byte
	size  int64 // of a page

	replaced bool
}

// stand records the state of the file after the process has opened or written it.
func (f *File) stand() (err error) {
	s := standing{size: int64(f.bolt.Info().PageSize)}
	if s.info, err = f.lock.File().Stat(); err != nil {
		return fault.Plain(err)
	}
	s.metas, err = s.read(f.lock.File())
	f.standing = s
	return fault.Plain(err)
}

func (s *standing) read(f io.ReaderAt) (metas [2][pages.MetaSize]byte, err error) {
	for i := range metas {
		if _, err := f.ReadAt(metas[i][:], int64(i)*s.size); err != nil {
			return metas, err
		}
	}
	return metas, nil
}

// InPlace returns ErrReplaced unless the file has its path and is as this process left it.
func (f *File) InPlace() error {
	s := &f.standing
	if s.replaced {
		return fault.ErrReplaced
	}
	now, err := os.Stat(f.place)
	switch {
	case errors.Is(err, fs.ErrPermission): // a process that has given up the right to look
	case errors.Is(err, fs.ErrNotExist), err == nil && !os.SameFile(now, s.info):
		s.replaced = true
		return fault.ErrReplaced
	case err != nil:
		return fault.Plain(err)
	}
	metas, err := s.read(f.lock.File())
	if err != nil && err != io.EOF {
		return fault.Plain(err)
	}
	if s.replaced = metas != s.metas; s.replaced {
		return fault.ErrReplaced
	}
	return nil
}

// wrote notes that transaction id has been committed. It returns ErrReplaced if more has
// changed than the meta page of this transaction.
func (f *File) wrote(id int) error {
	s := &f.standing
	metas, err := s.read(f.lock.File())
	if err != nil {
		return fault.Plain(err)
	}
	own := id % 2 // where bbolt writes it
	other := 1 - own
	s.replaced = metas[other] != s.metas[other] || pages.MetaTx(metas[own][:]) != uint64(id)
	s.metas = metas
	if s.replaced {
		return fault.ErrReplaced
	}
	return nil
}
