package file

import (
	"io/fs"
	"os"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/pages"
)

// State is the state of a file when it was released. The inode number and the transaction
// id do not identify it: the system reuses the numbers of removed files, and two copies
// made in the same way have the same transaction ids.
type State struct {
	info   fs.FileInfo
	tx     uint64
	headed bool
}

func (f *File) state() (State, error) {
	info, err := f.lock.File().Stat()
	if err != nil {
		return State{}, fault.Plain(err)
	}
	return State{info, pages.ReadMetas(f.lock.File()).Newest.Tx, f.headed.Load()}, nil
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
func (f *File) Fair() bool { return f.lock.Fair() }

// InTheWay returns whether another process waits for this one: to commit, if this one
// only reads, and else to write, if this one has had the file for longer than after.
func (f *File) InTheWay(after time.Duration) bool {
	if f.options.ReadOnly {
		return f.lock.Wanted()
	}
	return time.Since(f.since) > after && f.lock.Awaited()
}
