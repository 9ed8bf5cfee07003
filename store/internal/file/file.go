// Package file keeps one bbolt file alive, whatever becomes of its disk, its name and the
// other processes that have it open. It knows no key and no value: Options say what has to
// be known of them.
//
// A File is one open file. Where another takes its place, as a copy without free space
// does, there is another File. Update, Close and whatever else may write are called by one
// goroutine at a time; the others may be called at any time.
package file

import (
	"cmp"
	"errors"
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
	Read   func(*bolt.Tx) error        // reads what every database has, of a file with a bucket
	Make   func(*bolt.Tx) error        // makes that in a file without one
	Fill   func(bucket []byte) float64 // how full the pages of a bucket are made in a copy
	Seal   func(*bolt.Tx) error        // writes that the name of the file may not be on the disk

	Tuning
}

// Tuning is how a file spends time and space.
type Tuning struct {
	// MapRoom is for how many bytes of a file there is at least room in the address
	// space when it is opened.
	MapRoom int64

	// PinnedFloor is how many bytes of the file may be kept for readers alone,
	// whatever its size.
	PinnedFloor int

	// ReaderPatience is how long a training waits that needs a moment in which
	// nobody reads: most readers score one document.
	ReaderPatience time.Duration

	// ClosePatience is how long Close waits for readers: a backup under way may end.
	ClosePatience time.Duration

	// NoSync does not wait for the disk. A test of what does not depend on it runs
	// ten times as fast.
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

	// The list of free pages is written by the first commit of a process, so
	// that one which lives for one message neither walks through the file to
	// find them nor leaves that to the next; and by Close, because at every
	// commit it would cost more than the rest once a file has much free space.
	commits  int
	unlisted bool // the last commit has not written it

	// stuck is set when bbolt panicked on a damaged page and has kept its lock:
	// nothing can be written, nor can the file be closed before the process ends.
	stuck bool

	headed atomic.Bool // the headers of all leaves have been looked at

	// lost is stuck of the locks with which every transaction begins: nothing can
	// be read any more either.
	lost atomic.Bool

	// What a commit that failed has left to do; see undo.go.
	undo    uint64      // the transaction to be taken back, 0 if there is none
	spoiled bool        // bbolt's list of free pages is not that of the file
	hidden  atomic.Bool // readers would see transaction undo

	// What readers keep of the file; see room.go.
	pinned  int // transactions in a row that found too much
	unpinAt int // how much it has to be before that is looked at again

	standing standing // of a file that is written; see standing.go
}

// Size is the size of the file in bytes.
func (f *File) Size() (int64, error) {
	info, err := f.lock.File().Stat()
	if errors.Is(err, fs.ErrClosed) {
		info, err = os.Stat(f.place)
	}
	if err != nil {
		return 0, fault.Plain(err)
	}
	return info.Size(), nil
}

// Is returns whether info is of the file.
func (f *File) Is(info fs.FileInfo) bool { return isFile(f.lock.File(), info) }

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

// Sound returns whether nothing has failed that is still to be mended, so that the file
// can be closed and opened again at any time.
func (f *File) Sound() bool { return !f.stuck && !f.spoiled && f.undo == 0 && !f.lost.Load() }

// Close waits for readers, no longer than ClosePatience, and closes the file. If readers
// stay it returns an error, and the file is closed when the last has ended. Nobody may
// begin to read meanwhile. failed, which may be nil, is why the file must be left as it
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

// Discard closes the file at once, of which nobody reads anything.
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
	f.unlisted = f.finish(tx) != nil // or what it has left would be taken for another's
}
