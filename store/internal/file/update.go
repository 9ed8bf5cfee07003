package file

import (
	"errors"
	"fmt"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/pages"
)

// Update runs write in one transaction. It returns ErrNoSpace rather than wait more than a
// moment for readers to end, and does not wait at all unless wait is set.
//
// If write returns a function, readers, who begin under gate, begin either before the
// commit or after that function.
func (f *File) Update(gate sync.Locker, wait bool, write func(*bolt.Tx) (committed func(), err error)) error {
	if f.stuck {
		return &fault.Error{What: "page of the file"}
	}
	tx, end, err := f.beginWrite()
	if err != nil {
		return err
	}
	defer end()
	committed, err := write(tx)
	if err != nil {
		return err
	}
	share, err := f.alone(f.options.Timeout)
	if err != nil {
		return err
	}
	defer share()
	list := f.commits == 0
	f.bolt.NoFreelistSync = !list
	f.bolt.MaxSize = f.mappedSize(tx)
	if committed != nil || wait {
		gate.Lock()
		defer gate.Unlock()
	}
	if wait && f.readers.wait(f.options.ReaderPatience) {
		f.bolt.MaxSize = 0 // as nobody reads, and nobody can begin to
	}
	if err := f.InPlace(); err != nil {
		return err
	}
	if err := f.finish(tx); err != nil {
		return err
	}
	f.commits++
	f.unlisted = !list
	if committed != nil {
		committed()
	}
	return nil
}

// beginWrite begins a write transaction, which end rolls back unless it was committed.
func (f *File) beginWrite() (tx *bolt.Tx, end func(), err error) {
	f.stuck = true
	if tx, err = f.begin(true); err != nil {
		f.stuck = false
	}
	return tx, func() {
		// After a commit this does nothing; after a panic in one it gives back
		// the lock that the next transaction waits for, if it does not panic too.
		tx.Rollback()
		f.stuck = false
	}, err
}

func (f *File) finish(tx *bolt.Tx) error {
	id := tx.ID()
	if err := tx.Commit(); err != nil {
		return f.failed(id, err)
	}
	return f.wrote(id)
}

// alone waits, no longer than patience, until no other process reads the file. share lets
// them read again, unless they would see a transaction that must still be undone.
func (f *File) alone(patience time.Duration) (share func(), err error) {
	if err := f.lock.Exclude(time.Now().Add(patience)); err != nil {
		return nil, fmt.Errorf("nothing was changed: %w", fault.Bolt(err))
	}
	return func() {
		if f.undo == 0 {
			f.lock.Share()
		}
	}, nil
}

// failed returns the error of the failed commit of transaction id, and restores the old state.
func (f *File) failed(id int, err error) error {
	defer func() { _ = f.stand() }() // the meta pages are now as we wrote them
	if errors.Is(err, berrors.ErrMaxSizeReached) {
		return ErrNoSpace
	}
	out := fmt.Errorf("nothing was changed: %w", fault.Advise(fault.WithoutPath(fault.Bolt(err), f.bolt.Path())))
	tx, err := f.bolt.Begin(false)
	if err != nil {
		return out
	}
	newest := tx.ID()
	tx.Rollback()
	if newest < id { // bbolt has not reached the meta page
		return out
	}
	f.undo, f.spoiled = uint64(id), true
	f.hidden.Store(true)
	if err := f.takeBack(); err != nil {
		return fmt.Errorf("it is not known whether something was changed: %w", err)
	}
	return out
}

// A commit can fail at its very end. bbolt writes a meta page last,
// which makes the new transaction current, and waits for the disk. If the disk then
// reports an error, everybody sees the new transaction and nobody knows whether it is on
// disk: Linux forgets pages that it could not write. bbolt would continue and overwrite
// pages of the transaction before, which are all that is left after a power failure.
//
// So the meta page is written once more, for the transaction before. bbolt's list of free
// pages is wrong from then on, and the file is rewritten before the next transaction.

// Settle undoes a failed commit, if there is one. If spoiled the file must be rewritten
// before the next transaction.
func (f *File) Settle() (spoiled bool, err error) {
	if f.undo != 0 {
		err = f.takeBack()
	}
	return f.spoiled, err
}

// Hidden reports whether readers would see a transaction that Settle must undo first.
func (f *File) Hidden() bool { return f.hidden.Load() }

// takeBack undoes transaction f.undo. If it fails it may be called again.
func (f *File) takeBack() error {
	file := f.lock.File
	err := pages.TakeBack(file, f.undo)
	if err == nil {
		f.hidden.Store(false)
		err = file.Sync()
	}
	if err != nil {
		return fmt.Errorf("a change that could not be brought to the disk could not be taken back either: %w", fault.Advise(fault.Plain(err)))
	}
	f.undo = 0
	f.lock.Share()
	return fault.Plain(f.stand())
}
