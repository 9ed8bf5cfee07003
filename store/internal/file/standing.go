package file

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/pages"
)

// This file detects changes that somebody makes to the file of a database while it is open, or released
// to others. Somebody may move or copy a backup over an open file, or remove it: the process has the
// old one open, and would learn into a file without a name, or write pages of the old state into the
// new one.

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
	if s.info, err = f.lock.File.Stat(); err != nil {
		return fault.Plain(err)
	}
	s.metas, err = s.read(f.lock.File)
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
	metas, err := s.read(f.lock.File)
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
	metas, err := s.read(f.lock.File)
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

// State is the state of a file when it was released. The inode number and the transaction
// id do not identify it: the system reuses the numbers of removed files, and two copies
// made in the same way have the same transaction ids.
type State struct {
	info   fs.FileInfo
	tx     uint64
	headed bool
}

func (f *File) state() (State, error) {
	info, err := f.lock.File.Stat()
	if err != nil {
		return State{}, fault.Plain(err)
	}
	return State{info, pages.ReadMetas(f.lock.File).Newest.Tx, f.headed.Load()}, nil
}

// Continue returns whether nobody has written the file since state s, and look returns true: the
// times of a file may be coarse. If so, all that was known about the file in that state is valid
// again.
func (f *File) Continue(s State, look func(*bolt.Tx) bool) bool {
	now, err := f.state()
	if err != nil || !os.SameFile(s.info, now.info) || s.tx != now.tx || s.info.Size() != now.info.Size() || !s.info.ModTime().Equal(now.info.ModTime()) {
		return false
	}
	same := false
	err = f.View(func(tx *bolt.Tx) error {
		same = look(tx)
		return nil
	})
	if err != nil || !same {
		return false
	}
	f.headed.Store(s.headed)
	return true
}

// Release closes the file so that other processes can use it, and returns its state.
// Nobody may read. closed is false, and the file stays open, if the state is not known.
func (f *File) Release() (s State, closed bool, err error) {
	if s, err = f.state(); err != nil {
		return s, false, err
	}
	return s, true, fault.Bolt(f.bolt.Close())
}

// Fair returns whether others can read while this process has the right to write.
func (f *File) Fair() bool { return f.lock.Fair }

// Awaited returns whether another process waits for this one: to commit, if this one
// only reads, and else to write, if this one has had the file for longer than after.
func (f *File) Awaited(after time.Duration) bool {
	if f.options.ReadOnly {
		return f.lock.Wanted()
	}
	return time.Since(f.since) > after && f.lock.Awaited()
}
