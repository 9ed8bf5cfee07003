package file

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/internal/newfile"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/lock"
)

// Open opens the file at path, whose absolute path is place, and makes it if it is not
// there and may be made. If that fails the file is closed, and may be left without content.
func Open(path, place string, o Options) (*File, error) {
	o.Access.Write = !o.ReadOnly
	f := &File{path: path, place: place, options: o}
	if err := f.sniff(); err != nil {
		return nil, err
	}
	if !o.ReadOnly && !o.MustExist {
		err := makeFile(path, o)
		if errors.Is(err, newfile.ErrChanged) { // another process has trained and compacted it already
			err = makeFile(path, o)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := f.openPath(); err != nil {
		return nil, err
	}
	if err := f.start(); err != nil {
		return nil, err
	}
	return f, nil
}

// start prepares an open file for use, or closes it.
func (f *File) start() error {
	started := false
	defer func() {
		if !started {
			f.bolt.Close() // after a panic too, or the file stayed locked
		}
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

// read reads the parts that every database has, or makes them.
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
		return errNothing()
	}
	if err := f.SyncName(); err != nil {
		return err
	}
	if err := f.bolt.Update(o.Make); err != nil {
		return fault.Advise(fault.WithoutPath(fault.Bolt(err), f.bolt.Path()))
	}
	return nil
}

type opener func(name string, flag int, mode os.FileMode) (*os.File, error)

// openPath opens the file and makes sure that it still is the file at its path: while we
// waited for the lock, a compaction may have replaced it. It makes no file: see makeFile.
func (f *File) openPath() error {
	for deadline := time.Now().Add(f.options.Timeout); ; {
		err := f.openWith(deadline, func(name string, flag int, mode os.FileMode) (*os.File, error) {
			return os.OpenFile(name, flag&^os.O_CREATE, mode)
		})
		if err != nil {
			return fault.Advise(err)
		}
		if now, err := os.Stat(f.path); err == nil && f.Is(now) {
			f.bolt.AllocSize = growth(now.Size())
			return nil
		}
		f.bolt.Close()
		if time.Now().After(deadline) {
			return fault.ErrInUse
		}
	}
}

// OpenNew opens a file that is being made and that nobody else has. Closing it leaves n
// open. Without o.Read nothing is read or made in it.
func OpenNew(n *newfile.File, o Options) (*File, error) {
	f := &File{path: n.Path(), place: n.Path(), options: o}
	err := f.openWith(time.Now().Add(newTimeout), func(string, int, os.FileMode) (*os.File, error) { return n.Again() })
	if err != nil {
		return nil, err
	}
	f.bolt.AllocSize = growth(0)
	if o.Read != nil {
		if err := f.start(); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// newTimeout is how long to wait for a file that nobody else has.
const newTimeout = 30 * time.Second

// openWith opens, with bbolt, the file at the path, or the one that open returns, once it has
// the lock. If the process has too little address space, the mapping has no room to grow.
func (f *File) openWith(deadline time.Time, open opener) error {
	err := f.openMapped(deadline, open)
	if errors.Is(err, syscall.ENOMEM) && !f.options.ReadOnly && f.options.MapSpace > 0 {
		f.options.MapSpace = 0
		err = f.openMapped(deadline, open)
	}
	if err != nil {
		return fault.Lock(fault.Bolt(err))
	}
	return nil
}

func (f *File) openMapped(deadline time.Time, open opener) (err error) {
	var file *os.File
	f.bolt = nil
	defer func() {
		if f.bolt == nil && file != nil {
			file.Close() // with its lock, should bbolt have panicked on a damaged page
		}
	}()
	o := &f.options
	f.bolt, err = bolt.Open(f.path, 0o600, &bolt.Options{
		Timeout:         max(time.Until(deadline), time.Millisecond),
		ReadOnly:        o.ReadOnly,
		NoFreelistSync:  true,
		FreelistType:    bolt.FreelistArrayType, // the lowest pages first, so that the end gets free
		PageSize:        pageSize,
		InitialMmapSize: f.initialMmapSize(),
		NoStatistics:    o.ReadOnly,
		NoSync:          o.NoSync,
		NoGrowSync:      o.NoSync,
		OpenFile: func(name string, flag int, mode os.FileMode) (opened *os.File, err error) {
			opened, err = open(name, flag, mode)
			if err != nil || file != nil {
				return opened, err // bbolt opens it once more to copy it
			}
			file = opened
			if o.ReadOnly {
				f.lock, err = lock.Read(file, deadline)
			} else {
				f.lock, err = lock.Write(file, deadline)
			}
			return opened, err
		},
	})
	if err == nil && o.ReadOnly {
		f.readAround()
	}
	return err
}

// growth returns the number of bytes by which a file of this size grows: small in
// comparison to its content, but not at every commit, since growing waits for the disk.
// bbolt's own 16 MB are several times the counts of a mailbox.
func growth(size int64) int { return int(min(max(size/64, 64<<10), 16<<20)) }

// The size of the mapping keeps long-lived readers from blocking trainers. bbolt maps more of a file
// only when nobody reads it, and reuses no page that the oldest reader may see. So a file
// that has grown beyond what is mapped while somebody reads is rewritten, without the pages
// that only this reader sees: the reader keeps the old file, which is gone when it ends.

const pageSize = 4096 // of the files that are made here

// initialMmapSize returns the size of the mapping in address space, not memory: with room
// to grow, a training need not wait for readers to end before it can map more.
func (f *File) initialMmapSize() int {
	if f.options.ReadOnly || runtime.GOOS == "windows" {
		return 0
	}
	size := f.options.MapSpace
	if size == 0 {
		return 0 // what the file has
	}
	if info, err := os.Stat(f.path); err == nil {
		size = max(size, 2*info.Size())
	}
	if math.MaxInt == math.MaxInt32 {
		size = min(size, 512<<20) // a process has 2 to 4 GB
	}
	return int(size)
}

// mappedSize returns the value of bolt.MaxSize with which the commit of tx fails exactly
// if it needs a larger mapping: bbolt maps powers of two up to a gigabyte, and then whole
// gigabytes, and adds bolt.AllocSize before it compares.
func (f *File) mappedSize(tx *bolt.Tx) int {
	const gigabyte = 1 << 30
	used, mapped := max(f.options.MapSpace, tx.Size()+pageSize), int64(32<<10)
	for mapped < used && mapped < gigabyte {
		mapped *= 2
	}
	if used > gigabyte {
		mapped = (used + gigabyte - 1) / gigabyte * gigabyte
	}
	if runtime.GOOS != "windows" {
		mapped += int64(f.bolt.AllocSize) - pageSize
	}
	return int(min(mapped, math.MaxInt))
}

// makeFile makes the file of a new database, with bbolt's first pages and no bucket, unless
// there is one. It gets its name when it is on disk: a power failure would otherwise leave a
// damaged file. A link, unlike a rename, does not replace a file that somebody else has made.
// On a file system without links the file is made empty, and bbolt writes its first pages.
func makeFile(path string, o Options) error {
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return errNoTarget
		}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	newfile.RemoveLeftOver(path, markNew)
	f, err := newfile.Create(path, markNew)
	if err != nil {
		return fault.Advise(fault.Bolt(err))
	}
	defer f.Discard()
	f.LikeFolder()
	o.Read = nil // there is nothing to read yet
	b, err := OpenNew(f, o)
	if err != nil {
		return fault.Advise(err)
	}
	defer b.Discard() // after it has its name, or others would remove it as left over
	err = f.Link()
	if err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, newfile.ErrChanged) {
		var empty *os.File
		if empty, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			err = empty.Close()
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return fault.Advise(fault.Plain(err))
}

// SyncName makes the name of the file as durable as its content. The header of a new file
// is written after that, so that a file with a header has a durable name.
func (f *File) SyncName() error {
	if f.options.NoSync {
		return nil
	}
	path, err := filepath.EvalSymlinks(f.place)
	if err != nil {
		return fault.Plain(err)
	}
	return fault.Plain(newfile.SyncFolder(filepath.Dir(path)))
}
