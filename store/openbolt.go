package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/polya-classifier/polya/internal/newfile"
	"github.com/polya-classifier/polya/store/internal/lock"
)

// openBolt opens the file and makes sure that it still is the file at path:
// while we waited for the lock, a compaction may have put another in its place. It
// makes none: see makeFile.
func openBolt(path string, o *Options) (*bolt.DB, *lock.Lock, error) {
	for deadline := time.Now().Add(o.timeout()); ; {
		open := func(name string, flag int, mode os.FileMode) (*os.File, error) {
			return os.OpenFile(name, flag&^os.O_CREATE, mode)
		}
		b, l, err := openWith(path, o, deadline, open)
		if err != nil {
			return nil, nil, withAdvice(lockError(boltError(err)))
		}
		ours, err1 := l.File().Stat()
		now, err2 := os.Stat(path)
		if err1 == nil && err2 == nil && os.SameFile(ours, now) {
			b.AllocSize = growth(ours.Size())
			return b, l, nil
		}
		b.Close()
		if time.Now().After(deadline) {
			return nil, nil, ErrInUse
		}
	}
}

// openNew opens a file that is being made. Closing what it returns leaves f open.
func openNew(f *newfile.File, t *tuning) (*bolt.DB, *lock.Lock, error) {
	open := func(string, int, os.FileMode) (*os.File, error) { return f.Again() }
	b, l, err := openWith(f.Path(), &Options{tuning: t}, time.Now().Add(WriteTimeout), open)
	if err != nil {
		return nil, nil, lockError(boltError(err))
	}
	b.AllocSize = growth(0)
	return b, l, nil
}

// openWith has bbolt open the file at path, or the one that open returns, when it has
// its lock. If the process has too little address space, o is made one that leaves no
// room to grow.
func openWith(path string, o *Options, deadline time.Time, open func(string, int, os.FileMode) (*os.File, error)) (*bolt.DB, *lock.Lock, error) {
	b, l, err := openMapped(path, o, deadline, open)
	if errors.Is(err, syscall.ENOMEM) && !o.ReadOnly && o.tuned().mapRoom > 0 {
		tight := *o.tuned()
		tight.mapRoom = 0
		o.tuning = &tight
		b, l, err = openMapped(path, o, deadline, open)
	}
	return b, l, err
}

func openMapped(path string, o *Options, deadline time.Time, open func(string, int, os.FileMode) (*os.File, error)) (opened *bolt.DB, l *lock.Lock, err error) {
	var file *os.File
	defer func() {
		if opened == nil && file != nil {
			file.Close() // with its lock, should bbolt have panicked on a damaged page
		}
	}()
	opened, err = bolt.Open(path, 0o600, &bolt.Options{
		Timeout:         max(time.Until(deadline), time.Millisecond),
		ReadOnly:        o.ReadOnly,
		NoFreelistSync:  true,
		FreelistType:    bolt.FreelistArrayType, // the lowest pages first: see shrink.go
		PageSize:        pageSize,
		InitialMmapSize: initialMmapSize(path, o),
		NoStatistics:    o.ReadOnly,
		NoSync:          o.tuned().noSync,
		NoGrowSync:      o.tuned().noSync,
		OpenFile: func(name string, flag int, mode os.FileMode) (f *os.File, err error) {
			f, err = open(name, flag, mode)
			if err != nil || file != nil {
				return f, err // bbolt opens it once more to copy it
			}
			file = f
			l, err = lockOpened(f, o.ReadOnly, deadline)
			return f, err
		},
	})
	return opened, l, err
}

// growth is by how many bytes a file of that size grows at a time: little
// beside what it holds, but not at every commit, since growing waits for the
// disk. bbolt's own 16 MB are several times the counts of a mailbox.
func growth(size int64) int { return int(min(max(size/16, 64<<10), 16<<20)) }

// boltError puts bbolt's errors into our words.
func boltError(err error) error {
	switch {
	case errors.Is(err, berrors.ErrTimeout), errors.Is(err, lock.ErrTimeout):
		return ErrInUse
	case errors.Is(err, berrors.ErrDatabaseReadOnly), errors.Is(err, fs.ErrPermission), errors.Is(err, errReadOnlyFS):
		return fmt.Errorf("%w: %w", ErrReadOnly, plainPathError(err))
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrVersionMismatch), errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrInvalidMapping):
		return &CorruptError{What: "start of the file", Err: err}
	case errors.Is(err, berrors.ErrDatabaseNotOpen):
		return ErrClosed
	}
	return plainPathError(err)
}
