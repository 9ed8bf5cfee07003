package file

import (
	"fmt"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/pages"
)

// This file is for a commit that fails at its very end. bbolt writes a page of meta
// data last, which makes the file that of the new transaction, and waits for the
// disk. If the disk then reports an error, everybody sees the new transaction and
// nobody knows whether it is on the disk: Linux forgets pages that it could not
// write. bbolt would go on from there and write over pages of the transaction
// before, which are all there is after a power failure.
//
// So the page is written once more, as that of the transaction before. bbolt's list
// of free pages is wrong from then on, and before the next transaction the file is
// written anew.

// Settle takes back a commit that has failed, if there is one. If spoiled the file has to
// be written anew before the next transaction.
func (f *File) Settle() (spoiled bool, err error) {
	if f.undo != 0 {
		err = f.takeBack()
	}
	return f.spoiled, err
}

// Hidden reports whether readers would see a transaction that Settle is to take back first.
func (f *File) Hidden() bool { return f.hidden.Load() }

// takeBack makes transaction f.undo one that never was. When it fails it may be called again.
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
