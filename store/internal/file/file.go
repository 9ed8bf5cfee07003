// Package file handles one bbolt file in spite of failures of the disk, changes of its
// name and other processes that have it open. It knows no keys and values, except what
// Options specify.
//
// A File is one open file. If a copy without free space replaces it, the copy is another
// File. Update, Close and all other methods that may write are called by one goroutine at
// a time; the others may be called at any time.
package file

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/lock"
	"github.com/polya-classifier/polya/store/internal/pages"
)

// Options say how to open a file.
type Options struct {
	ReadOnly  bool          // open it shared with other readers
	MustExist bool          // refuse to make one
	Timeout   time.Duration // how long to wait for a file that is in use, to open it and to commit

	Access pages.Access                // the buckets that Open looks at
	Always []byte                      // the bucket of which CheckKeys looks at keys even after CheckHeads
	Read   func(*bolt.Tx) error        // reads the parts that every database has, in a file with a bucket
	Make   func(*bolt.Tx) error        // makes these parts in a file without a bucket
	Fill   func(bucket []byte) float64 // how full the pages of a bucket are made in a copy
	Seal   func(*bolt.Tx) error        // writes the mark that the name of the file may not be on disk

	Tuning
}

// Tuning holds the parameters of a file's time and space.
type Tuning struct {
	// MapSpace is the least number of bytes of address space reserved for a file when it is
	// opened.
	MapSpace int64

	// ReaderPatience is how long a training waits for a moment without readers: most readers
	// score one document.
	ReaderPatience time.Duration

	// ClosePatience is how long Close waits for readers: a backup under way may end.
	ClosePatience time.Duration

	// NoSync does not wait for the disk. Tests that do not need durability run ten times as
	// fast.
	NoSync bool
}

// File is an open file.
type File struct {
	path    string // what it is opened at
	place   string // the path from the root, wherever the process goes
	options Options
	bolt    *bolt.DB
	lock    *lock.Lock
	since   time.Time // when it was opened
	readers readers

	// The first commit of a process writes the list of free pages, so that a process for one
	// message neither scans the file for them nor leaves that to the next. Later only Close
	// writes it, because at every commit the list would cost more than all else once a file
	// has much free space.
	commits  int
	unlisted bool // the last commit has not written it

	// stuck is set when bbolt has panicked on a damaged page while holding its lock: nothing
	// can be written, and the file cannot be closed before the process ends.
	stuck bool

	headed atomic.Bool // the headers of all leaves have been looked at

	// lost is the same for the locks that every transaction takes: nothing can be read any
	// more either.
	lost atomic.Bool

	// The work that a failed commit has left; see Settle.
	undo    uint64      // the transaction to be taken back, 0 if there is none
	spoiled bool        // bbolt's list of free pages does not match the file
	hidden  atomic.Bool // readers would see transaction undo

	standing standing // of a file that is written; see standing.go
}

// Size returns the size of the file in bytes.
func (f *File) Size() (int64, error) {
	info, err := f.lock.File.Stat()
	if errors.Is(err, fs.ErrClosed) {
		info, err = os.Stat(f.place)
	}
	if err != nil {
		return 0, fault.Plain(err)
	}
	return info.Size(), nil
}

// Is returns whether info describes the file.
func (f *File) Is(info fs.FileInfo) bool { return isFile(f.lock.File, info) }

func isFile(f *os.File, info fs.FileInfo) bool {
	own, err := f.Stat()
	return err == nil && os.SameFile(info, own)
}

// Spare returns the size of the file in bytes, and how many of them are free.
func (f *File) Spare() (size, free int64, err error) {
	if size, err = f.Size(); err != nil {
		return 0, 0, err
	}
	err = f.bolt.View(func(tx *bolt.Tx) error {
		free = size - tx.Size() + int64(f.bolt.Stats().FreeAlloc)
		return nil
	})
	return size, free, err
}

// Changed reports whether something was committed since opening, or is yet to be taken back.
func (f *File) Changed() bool { return f.commits > 0 || f.undo != 0 }

// Sound returns whether no failure is left to be repaired, so that the file can be closed
// and opened again at any time.
func (f *File) Sound() bool { return !f.stuck && !f.spoiled && f.undo == 0 && !f.lost.Load() }

// Close waits for readers, no longer than ClosePatience, and closes the file. If readers
// stay it returns an error, and the file is closed when the last has ended. Nobody may
// begin to read meanwhile. failed, if not nil, is the reason why the file must stay as it
// is, and is returned.
func (f *File) Close(failed error) error {
	switch {
	case failed != nil:
	case f.undo != 0:
		failed = f.takeBack()
	case !f.stuck && !f.spoiled:
		f.ListFree()
	}
	if f.stuck || f.lost.Load() {
		return failed
	}
	f.readers.wait(f.options.ClosePatience)
	return cmp.Or(failed, f.readers.retire(f.bolt.Close))
}

// Discard closes the file at once. Nobody may read it.
func (f *File) Discard() { f.bolt.Close() }

// ListFree writes the list of free pages if the last commit has not. If it cannot, the
// next process takes longer to open the file.
func (f *File) ListFree() {
	if !f.unlisted {
		return
	}
	var ignored error
	defer fault.Guard(&ignored, "")()
	f.bolt.NoFreelistSync = false
	share, err := f.alone(f.options.ReaderPatience)
	if err != nil {
		return
	}
	defer share()
	tx, end, err := f.beginWrite() // bbolt's Update would walk through a damaged file
	if err != nil {
		return
	}
	defer end()
	f.bolt.MaxSize = f.mappedSize(tx)
	f.unlisted = f.finish(tx) != nil // or its rest would be taken for another's
}

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
