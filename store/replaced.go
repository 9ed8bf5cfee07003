package store

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/polya-classifier/polya/store/internal/pages"
)

// This file is for what somebody does to the file of an open database: a backup that
// is moved or copied over it, or its removal. The process has the old file open, and
// would go on to learn into a file without a name, or write pages of the old state
// into the new one.

// ErrReplaced is returned by whatever would change a database, and by Close, from when
// its file is no longer the one that has the path, or has been written by somebody
// else. Nothing has changed then, and nothing more can be learned until it is opened
// again.
var ErrReplaced = errors.New("another file has taken the place of the database while it was open, or it was removed; nothing more is learned: open it again")

// standing is how the file was when this process opened it or wrote it last.
type standing struct {
	info  fs.FileInfo // which file has it
	metas [2][pages.MetaSize]byte
	size  int64 // of a page

	replaced bool
}

// stand notes how the file is now that the process has opened it or written it.
func (db *DB) stand() (err error) {
	s := standing{size: int64(db.bolt.Info().PageSize)}
	if s.info, err = db.lock.File().Stat(); err != nil {
		return plainPathError(err)
	}
	s.metas, err = s.read(db.lock.File())
	db.standing = s
	return plainPathError(err)
}

func (s *standing) read(f io.ReaderAt) (metas [2][pages.MetaSize]byte, err error) {
	for i := range metas {
		if _, err := f.ReadAt(metas[i][:], int64(i)*s.size); err != nil {
			return metas, err
		}
	}
	return metas, nil
}

// openInPlace is inPlace for a database that may have been closed.
func (db *DB) openInPlace() error {
	db.mu.RLock()
	closed := db.closed
	db.mu.RUnlock()
	if closed {
		return ErrClosed
	}
	return db.inPlace()
}

// inPlace returns ErrReplaced unless the file still has its path and is as this
// process has left it. The caller holds db.commit.
func (db *DB) inPlace() error {
	s := &db.standing
	if s.replaced {
		return ErrReplaced
	}
	now, err := os.Stat(db.place)
	switch {
	case errors.Is(err, fs.ErrPermission): // a process that has given up the right to look
	case errors.Is(err, fs.ErrNotExist), err == nil && !os.SameFile(now, s.info):
		s.replaced = true
		return ErrReplaced
	case err != nil:
		return plainPathError(err)
	}
	metas, err := s.read(db.lock.File())
	if err != nil && err != io.EOF {
		return plainPathError(err)
	}
	if s.replaced = metas != s.metas; s.replaced {
		return ErrReplaced
	}
	return nil
}

// wrote notes that transaction id has been committed. It returns ErrReplaced if more
// has changed than one of the pages of meta data, which is that of the transaction.
func (db *DB) wrote(id int) error {
	s := &db.standing
	metas, err := s.read(db.lock.File())
	if err != nil {
		return plainPathError(err)
	}
	own := id % 2 // where bbolt writes it
	other := 1 - own
	s.replaced = metas[other] != s.metas[other] || pages.MetaTx(metas[own][:]) != uint64(id)
	s.metas = metas
	if s.replaced {
		return ErrReplaced
	}
	return nil
}
