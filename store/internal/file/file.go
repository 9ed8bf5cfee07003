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
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/damage"
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

// Open opens the file at path, whose absolute path is place, and makes it if it is not
// there and may be made. Where that fails the file is closed, and removed if it was made
// for that.
func Open(path, place string, o Options) (*File, error) {
	o.Access.Write = !o.ReadOnly
	f := &File{path: path, place: place, options: o}
	if err := f.sniff(); err != nil {
		return nil, err
	}
	made, err := false, error(nil)
	if !o.ReadOnly && !o.MustExist {
		if made, err = makeFile(path, o); err != nil {
			return nil, err
		}
	}
	if err := f.openPath(); err != nil {
		return nil, err
	}
	if err := f.start(made); err != nil {
		return nil, err
	}
	return f, nil
}

// start makes an open file ready, or closes it.
func (f *File) start(made bool) (err error) {
	started := false
	defer func() {
		if started {
			return
		}
		if made {
			f.unmake()
		}
		f.bolt.Close() // after a panic too, or the file stayed locked
	}()
	if err := f.read(); err != nil {
		return err
	}
	if !f.options.ReadOnly {
		if err := f.stand(); err != nil {
			return err
		}
	}
	started, f.since = true, time.Now()
	f.lock.Share()
	return nil
}

// read reads what every database has, or makes it.
func (f *File) read() error {
	o, empty := &f.options, false
	err := f.bolt.View(func(tx *bolt.Tx) error {
		first, _ := tx.Cursor().First()
		if empty = first == nil; empty {
			return nil
		}
		return o.Read(tx)
	})
	switch {
	case err != nil || !empty:
		return err
	case o.ReadOnly || o.MustExist:
		return errNothing
	}
	if err := f.SyncName(); err != nil {
		return err
	}
	if err := f.bolt.Update(o.Make); err != nil {
		return fault.Advise(fault.WithoutPath(fault.Bolt(err), f.bolt.Path()))
	}
	return nil
}

// sniff refuses a file that is plainly something else before bbolt sees it.
func (f *File) sniff() error {
	exists := f.options.MustExist || f.options.ReadOnly
	// Opening a pipe would wait for somebody at its other end.
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && exists:
		return fault.ErrNotExist
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fault.Plain(err)
	case !info.Mode().IsRegular():
		return errNotRegular
	case info.Size() == 0 && exists:
		return errNothing
	case info.Size() == 0:
		return nil
	}
	file, err := os.Open(f.path)
	if err != nil {
		return fault.Plain(err)
	}
	defer file.Close()
	m := pages.ReadMetas(file)
	if !m.Found {
		return fault.ErrNotPolya
	}
	need := m.Newest.Pages * m.Newest.PageSize
	if info, err = file.Stat(); err == nil && uint64(info.Size()) < need {
		return &damage.Error{What: "end of the file", Err: fmt.Errorf("%d of %d bytes are there", info.Size(), need)}
	}
	if !m.Newest.Valid || f.sniffPages(file, m.Newest) == nil {
		return nil
	}
	return f.confirmDamage(file)
}

// sniffPages looks at the pages in which bbolt would lose itself: a reader goes by
// the branches, and a writer by the list of free pages too or, without one, by all.
func (f *File) sniffPages(file *os.File, m pages.Meta) error {
	if f.options.ReadOnly || m.Listed {
		return pages.CheckBranches(file, m, f.options.Access)
	}
	return pages.Check(file)
}

// confirmDamage looks again at pages that seem damaged while nobody else can
// write them.
func (f *File) confirmDamage(file *os.File) error {
	b, err := bolt.Open(f.path, 0, &bolt.Options{Timeout: f.options.Timeout, ReadOnly: true})
	if err != nil {
		return fault.Bolt(err)
	}
	defer b.Close()
	m := pages.ReadMetas(file)
	if !m.Newest.Valid {
		return nil // bbolt says what is wrong
	}
	return damage.Page(f.sniffPages(file, m.Newest))
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
func (f *File) Is(info fs.FileInfo) bool {
	own, err := f.lock.File().Stat()
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

// Begin begins a transaction that reads, and counts a reader at the position that it has
// in the log. Until that is known it is position 0. End ends both.
func (f *File) Begin(at func(*bolt.Tx) uint64) (tx *bolt.Tx, position uint64, err error) {
	f.readers.begin(0)
	defer f.readers.end(0)
	if tx, err = f.begin(false); err != nil {
		return nil, 0, err
	}
	known := false
	defer func() {
		if !known {
			tx.Rollback() // after a panic on a damaged page
		}
	}()
	position = at(tx)
	known = true
	f.readers.begin(position)
	return tx, position, nil
}

// End ends what Begin began.
func (f *File) End(tx *bolt.Tx, position uint64) {
	tx.Rollback()
	f.readers.end(position)
}

// begin begins a transaction. Where bbolt panics in that, because the pages
// of meta data are gone (the file was cut short under us), it keeps the locks with
// which all others begin: these are an error from then on, not to wait for ever.
func (f *File) begin(writable bool) (tx *bolt.Tx, err error) {
	if f.lost.Load() {
		return nil, &damage.Error{What: "start of the file"}
	}
	returned := false
	defer func() {
		if !returned {
			f.lost.Store(true)
		}
	}()
	tx, err = f.bolt.Begin(writable)
	returned = true
	return tx, fault.Bolt(err)
}

// View runs read in a transaction that reads.
func (f *File) View(read func(*bolt.Tx) error) error {
	tx, err := f.begin(false)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	return read(tx)
}

// Changed returns whether something was committed since the file was opened, or is yet to
// be taken back.
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
	defer damage.Guard(&ignored, "")()
	f.bolt.NoFreelistSync = false
	share, err := f.alone(f.options.ReaderPatience)
	if err != nil {
		return
	}
	defer share()
	f.stuck = true
	tx, err := f.begin(true)
	if err != nil {
		f.stuck = false
		return
	}
	defer func() {
		tx.Rollback() // bbolt's Update would walk through a damaged file
		f.stuck = false
	}()
	f.bolt.MaxSize = f.mappedSize(tx)
	id := tx.ID()
	if err := tx.Commit(); err != nil {
		_ = f.failed(id, err)
		return
	}
	f.unlisted = f.wrote(id) != nil // or what it has left would be taken for another's
}
