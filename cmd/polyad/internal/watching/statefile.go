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

// open opens the file at path, which it makes if it does not exist, unless another process holds it.
func (m *memory) open(path string, o *bolt.Options) error {
	return m.guard(func() (err error) {
		m.db, err = bolt.Open(path, 0o600, o)
		var system syscall.Errno
		switch {
		case errors.Is(err, berrors.ErrTimeout):
			return errors.New("the mailbox is being watched already")
		case err == nil || errors.As(err, &system):
			return err
		}
		return errDamaged
	})
}

// update changes the file, and returns when the change is on disk.
func (m *memory) update(change func(*bolt.Tx) error) error {
	return m.guard(func() error { return m.db.Update(change) })
}

// Close closes the file. Closing twice does nothing.
func (m *memory) Close() error {
	if m.db == nil {
		return nil
	}
	return m.db.Close()
}

// guard turns a panic, or a fault while reading the mapping, of a damaged page into an error.
func (m *memory) guard(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			m.db, err = nil, errDamaged
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", m.path, err)
		}
	}()
	return do()
}
