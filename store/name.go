package store

import (
	"fmt"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/layout"
)

// This file is for a new file that takes the place of the old one. From the rename until
// the folder is on the disk a power failure may bring the old file back, and with the new
// one would go what has been learned in it since. So a file that is going to be renamed
// says that its name may not be on the disk. Whoever first changes it, this process or,
// if it was killed meanwhile, another, brings the name there and takes that back in one
// transaction.

// settleName makes sure that what tx is going to write goes into a file that will
// still have its name.
func settleName(f *file.File, tx layout.Tx) error {
	if !tx.Unnamed() {
		return nil
	}
	if err := f.SyncName(); err != nil {
		return fmt.Errorf("nothing was changed: the name of the file cannot be brought to the disk: %w", fault.Advise(err))
	}
	return tx.SetUnnamed(false)
}
