// Package statefile is a file of state that a command keeps between runs. Each write is on
// disk before the next action, one process holds the file at a time, and a damaged file gives
// an error with advice.
package statefile

import (
	"errors"
	"fmt"
	"runtime/debug"
	"syscall"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// ErrDamaged says that a file is damaged.
var ErrDamaged = errors.New("it is damaged; remove it, and what polya did before is taken for yours")

// A File is open until Close. Errors name its path.
type File struct {
	path string
	db   *bolt.DB // nil after damage was found: bbolt may hold locks then
}

// Open opens a file, and makes the file and the buckets that are missing. If another process
// holds it for longer than o.Timeout, the error says busy.
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

// Update changes the file, and returns when the change is on disk.
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

// guard turns the effects of a damaged page into an error: a panic, or a fault while reading
// the mapping.
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
