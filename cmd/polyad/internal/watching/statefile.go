package watching

import (
	"errors"
	"fmt"
	"runtime/debug"
	"syscall"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// errDamaged says that a file of state is damaged.
var errDamaged = errors.New("it is damaged; if you remove it, polya takes its earlier filing for yours")

// A stateFile is what a watcher remembers. Each write is on disk before the next action, one
// process holds the file at a time, and errors name its path.
type stateFile struct {
	path string
	db   *bolt.DB // nil after damage was found: bbolt may hold locks then
}

// openState opens a file, and makes the file and the buckets that are missing. If another process
// holds it for longer than o.Timeout, that is an error.
func openState(path string, o bolt.Options, buckets ...[]byte) (*stateFile, error) {
	f := &stateFile{path: path}
	err := f.guard(func() (err error) {
		f.db, err = bolt.Open(path, 0o600, &o)
		var system syscall.Errno
		switch {
		case errors.Is(err, berrors.ErrTimeout):
			return errors.New("the mailbox is being watched already")
		case err == nil || errors.As(err, &system):
			return err
		}
		return errDamaged
	})
	if err != nil {
		return nil, err
	}
	err = f.update(func(tx *bolt.Tx) error {
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

// update changes the file, and returns when the change is on disk.
func (f *stateFile) update(change func(*bolt.Tx) error) error {
	return f.guard(func() error { return f.db.Update(change) })
}

// Close closes the file. Closing twice does nothing.
func (f *stateFile) Close() error {
	if f.db == nil {
		return nil
	}
	return f.db.Close()
}

// guard turns the effects of a damaged page into an error: a panic, or a fault while reading
// the mapping.
func (f *stateFile) guard(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			f.db, err = nil, errDamaged
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", f.path, err)
		}
	}()
	return do()
}
