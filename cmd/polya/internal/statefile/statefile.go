// Package statefile is a file of what a command remembers from one run to the next. Each write
// is on the disk before the next act, one process has the file at a time, and one that is
// damaged is an error that says what to do.
package statefile

import (
	"errors"
	"fmt"
	"runtime/debug"
	"syscall"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// ErrDamaged says that a file is not as it was written.
var ErrDamaged = errors.New("it is damaged; remove it, and what polya did before is taken for yours")

// A File is open until Close. Errors name its path.
type File struct {
	path string
	db   *bolt.DB // nil once it was found damaged: bbolt may hold locks then
}

// Open opens a file, which it makes if it is not there, and makes the buckets that it has not.
// Where another process has it for longer than o.Timeout, the error says busy.
func Open(path string, o bolt.Options, busy string, buckets ...[]byte) (*File, error) {
	f := &File{path: path}
	err := f.guard(func() (err error) {
		f.db, err = bolt.Open(path, 0o600, &o)
		var system syscall.Errno
		switch {
		case errors.Is(err, berrors.ErrTimeout):
			return errors.New(busy)
		case err == nil || errors.As(err, &system):
			return err
		}
		return ErrDamaged
	})
	if err != nil {
		return nil, err
	}
	err = f.Update(func(tx *bolt.Tx) error {
		for _, name := range buckets {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// View reads the file.
func (f *File) View(read func(*bolt.Tx) error) error {
	return f.guard(func() error { return f.db.View(read) })
}

// Update changes the file, and returns when that is on the disk.
func (f *File) Update(change func(*bolt.Tx) error) error {
	return f.guard(func() error { return f.db.Update(change) })
}

// Close closes the file. Closing twice does nothing.
func (f *File) Close() error {
	if f.db == nil {
		return nil
	}
	return f.db.Close()
}

// guard makes an error of what a damaged page does to a program: a panic, or a fault while the
// mapping is read.
func (f *File) guard(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			f.db, err = nil, ErrDamaged
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", f.path, err)
		}
	}()
	return do()
}
