package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/internal/newfile"
	"github.com/polya-classifier/polya/store/internal/lock"
)

// Backup writes a copy of the database, as of one moment, to w and returns the
// number of bytes. Training goes on meanwhile. The copy is a database.
func (db *DB) Backup(w io.Writer) (n int64, err error) {
	err = db.View(func(s *Snapshot) error {
		n, err = s.tx.WriteTo(w)
		return db.fail(withAdvice(err))
	})
	return n, err
}

// Size is the size of the file in bytes.
func (db *DB) Size() (int64, error) {
	db.mu.RLock()
	file := db.lock.File()
	db.mu.RUnlock()
	info, err := file.Stat()
	if errors.Is(err, fs.ErrClosed) {
		info, err = os.Stat(db.place)
	}
	if err != nil {
		return 0, db.fail(plainPathError(err))
	}
	return info.Size(), nil
}

// compactTx bounds the memory of a compaction: so many bytes are copied in one
// transaction.
const compactTx = 16 << 20

// Compact brings all tables up to date, joins those that have become small and
// rewrites the file without free space. Trainers wait, those of other processes, with
// Options.Share, only if they have come between more than once. Readers that have begun
// keep the old file, which goes when they end; on Windows they are waited for. If it
// fails, and without Options.Share if the file would not be smaller, the database is as
// it was.
func (db *DB) Compact() error {
	for range compactAttempts {
		if done, err := db.compactAside(); done || err != nil {
			return err
		}
	}
	return db.admin(func() error {
		if err := db.ready(); err != nil {
			return err
		}
		before, err := db.Size()
		if err != nil {
			return err
		}
		c, err := db.newCopy()
		if err != nil {
			return err
		}
		defer c.discard()
		p := pruning{ctx: context.Background(), db: db, to: c.bolt, keep: true, drop: keepAll}
		if err := db.fillPruned(&p); err != nil {
			return withAdvice(withoutPath(err, c.bolt.Path()))
		}
		if size, err := c.size(); err != nil || size >= before {
			return err
		}
		return c.replace()
	})
}

// renew writes the file anew without free space.
func (db *DB) renew() error {
	c, err := db.newCopy()
	if err != nil {
		return err
	}
	defer c.discard()
	if err := bolt.Compact(c.bolt, db.bolt, compactTx); err != nil {
		return withAdvice(withoutPath(boltError(err), c.bolt.Path()))
	}
	return c.replace()
}

// fileCopy is a new file beside that of a database, to take its place.
type fileCopy struct {
	db   *DB
	file *newfile.File
	bolt *bolt.DB
	lock *lock.Lock // of bolt
	path string     // of the database, without links
	full bool       // nothing more is to be written
	done bool       // it has taken the file's place
}

// These are in the names of new files, before some digits.
const (
	markNew     = ".new-"     // a database that is being made
	markCompact = ".compact-" // a copy that is to take its place
	markRepair  = ".repair-"  // a repaired one that is
	markAside   = ".aside-"   // a copy to read, which has a name for a moment
)

// removeLeftOver removes what processes that were killed have left beside the file at
// path, which is no link.
func removeLeftOver(path string) {
	newfile.RemoveLeftOver(path, markNew, markCompact, markRepair, markAside)
}

// newCopy makes an empty file beside that of the database, which nobody else can
// open: it is locked as soon as it is there.
func (db *DB) newCopy() (*fileCopy, error) {
	path, err := filepath.EvalSymlinks(db.place)
	if err != nil {
		return nil, plainPathError(err)
	}
	if err := db.checkFile(); err != nil {
		return nil, err // what is not a tree can be copied for ever
	}
	removeLeftOver(path)
	file, err := newfile.Create(path, markCompact)
	if err != nil {
		return nil, fmt.Errorf("no file can be made beside it: %w", withAdvice(plainPathError(err)))
	}
	c := &fileCopy{db: db, file: file, path: path}
	if err := c.open(); err != nil {
		c.discard()
		return nil, err
	}
	return c, nil
}

func (c *fileCopy) open() (err error) {
	if c.bolt, c.lock, err = openNew(c.file, c.db.tuning()); err != nil {
		return err
	}
	c.bolt.NoFreelistSync = false
	c.bolt.AllocSize = pageSize // what it has to spare would be copied for nothing
	old, err := c.db.lock.File().Stat()
	if err == nil {
		err = c.file.Like(old)
	}
	return plainPathError(err)
}

// discard removes the copy, unless it has taken the file's place.
func (c *fileCopy) discard() {
	if c.bolt != nil && !c.done {
		c.bolt.Close()
	}
	c.file.Discard()
}

// size completes the copy and returns how many bytes it has.
func (c *fileCopy) size() (int64, error) {
	if err := c.complete(); err != nil {
		return 0, err
	}
	info, err := c.file.Stat()
	if err != nil {
		return 0, plainPathError(err)
	}
	return info.Size(), nil
}

// complete writes the last of what belongs into the copy, once.
func (c *fileCopy) complete() (err error) {
	if !c.full {
		err = withAdvice(plainPathError(putUnnamed(c.bolt)))
		c.full = err == nil
	}
	return err
}

func (c *fileCopy) sync() error {
	if c.bolt.NoSync {
		return nil
	}
	return withAdvice(plainPathError(c.bolt.Sync()))
}

// replace puts the copy in the file's place. Readers that have begun keep the old
// file.
func (c *fileCopy) replace() error {
	db := c.db
	if err := c.complete(); err != nil {
		return err
	}
	if err := c.sync(); err != nil {
		return err
	}
	if size, err := c.size(); err == nil {
		c.bolt.AllocSize = growth(size)
	}
	place, err := db.lock.File().Stat()
	if err != nil {
		return plainPathError(err)
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if runtime.GOOS == "windows" {
		return c.swapClosed(place)
	}
	if err := c.rename(place); err != nil {
		return err
	}
	c.done = true
	old, readers := db.bolt, db.readers
	db.lock.Leave()
	db.swapped(c.bolt, c.lock)
	db.lock.Share()
	if err := db.stand(); err != nil {
		db.standing.replaced = true // nothing is known of it
	}
	db.undo, db.spoiled = 0, false
	db.hidden.Store(false)
	_ = readers.retire(old.Close) // it is done with, whatever comes of that
	if err := syncName(c.path, db.tuning()); err != nil {
		return fmt.Errorf("the new file is in its place, but might not be after a power failure: %w", withAdvice(plainPathError(err)))
	}
	return nil
}

// rename gives the copy the name of the file old, which the database is open in.
func (c *fileCopy) rename(old fs.FileInfo) error {
	err := c.file.Replace(old)
	if errors.Is(err, newfile.ErrChanged) {
		err = ErrReplaced
	}
	if err != nil {
		return fmt.Errorf("the new file cannot take its place: %w", withAdvice(plainPathError(plainLinkError(err))))
	}
	return nil
}

// swapped makes b, which l locks, the database. db.mu is held.
func (db *DB) swapped(b *bolt.DB, l *lock.Lock) {
	db.bolt, db.lock, db.readers, db.memory = b, l, new(readers), nil
	db.unlisted, db.pinned, db.unpinAt = false, 0, 0
}

// swapClosed renames where an open file cannot be replaced.
func (c *fileCopy) swapClosed(place fs.FileInfo) error {
	db := c.db
	if !db.readers.wait(db.tuning().closePatience) {
		return errReaders
	}
	// The old file is closed whatever becomes of the copy: from here on the
	// database is closed until it is opened again.
	db.closed = true
	err1, err2 := c.bolt.Close(), db.bolt.Close()
	if err := cmp.Or(err1, err2); err != nil {
		return err
	}
	c.file.File.Close()
	renamed := c.rename(place)
	c.done = renamed == nil
	reopened, l, err := openBolt(c.path, &db.options)
	if err != nil {
		return fmt.Errorf("the file could not be opened again: %w", err)
	}
	db.swapped(reopened, l)
	db.closed = false
	return cmp.Or(renamed, db.stand())
}
