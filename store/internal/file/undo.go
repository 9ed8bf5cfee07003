package file

import (
	"fmt"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/pages"
)

// This file handles a commit that fails at its very end. bbolt writes a meta page last,
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
	file := f.lock.File()
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
