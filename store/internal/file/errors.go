package file

import (
	"errors"
	"fmt"

	"github.com/polya-classifier/polya/store/internal/fault"
)

// ErrNoSpace ends a transaction that must map more of the file while somebody reads.
var ErrNoSpace = errors.New("nothing was changed: a reader that began earlier keeps the file from growing; end it, or try again")

// errNoTarget is returned for a symbolic link whose file would have to be made. A file made
// through a link is made wherever the owner of the folder wants.
var errNoTarget = errors.New("it is a symbolic link to a file that is not there; remove it, or name the file that it leads to")

// errReaders is returned where a file is closed or replaced while somebody reads it.
var errReaders = errors.New("somebody still reads the database; it is closed when they have ended")

// Errors that wrap others are made when they are needed: each process would wait for them.

func errNothing() error { return fmt.Errorf("%w: %w", fault.ErrNotPolya, fault.ErrEmpty) }

func errNotRegular() error { return fmt.Errorf("%w: not a regular file", fault.ErrNotPolya) }
