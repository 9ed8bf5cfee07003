package file

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/internal/newfile"
	"github.com/polya-classifier/polya/store/internal/fault"
)

// These marks are in the names of new files, before some digits.
const (
	markNew      = ".new-"      // a database that is being made
	markRepair   = ".repair-"   // a repaired or restored one that will replace another
	markCompact  = ".compact-"  // a copy that will replace a file
	markDetached = ".detached-" // a copy to read, which has a name for a moment
)

// removeLeftOver removes what killed processes have left beside path, which is no link.
func removeLeftOver(path string) {
	newfile.RemoveLeftOver(path, markNew, markCompact, markRepair, markDetached)
}

// Copy is a new file beside another one, which it will replace.
type Copy struct {
	to     *File
	file   *newfile.File
	path   string // of the old file, without links
	placed bool   // it has replaced the file
	filling
}

// NewCopy makes an empty file beside this one, which nobody else can
// open: it is locked as soon as it is there.
func (f *File) NewCopy() (*Copy, error) {
	path, err := filepath.EvalSymlinks(f.place)
	if err != nil {
		return nil, fault.Plain(err)
	}
	if err := f.Check(); err != nil {
		return nil, err // copying a damaged tree may never end
	}
	removeLeftOver(path)
	file, err := newfile.Create(path, markCompact)
	if err != nil {
		return nil, fmt.Errorf("no file can be made beside it: %w", fault.Advise(fault.Plain(err)))
	}
	c := &Copy{file: file, path: path}
	if err := c.open(f); err != nil {
		c.Discard()
		return nil, err
	}
	return c, nil
}

func (c *Copy) open(of *File) (err error) {
	o := of.options
	o.Read = nil
	if c.to, err = OpenNew(c.file, o); err != nil {
		return err
	}
	c.to.place = of.place
	c.to.bolt.NoFreelistSync = false
	c.to.bolt.AllocSize = pageSize // free space would be copied for nothing
	old, err := of.lock.File.Stat()
	if err == nil {
		err = c.file.Like(old)
	}
	return fault.Plain(err)
}

// Discard removes the copy, unless it has replaced the file.
func (c *Copy) Discard() {
	if c.to != nil && !c.placed {
		c.to.bolt.Close()
	}
	c.file.Discard()
}

// Size returns how many bytes a filled copy has.
func (c *Copy) Size() (int64, error) { return c.to.Size() }

// Seal marks a new file, which is about to be renamed, to say that its name may not be on
// disk. It does not wait for the disk: the whole file is synced before the rename.
func (f *File) Seal() error {
	return f.unsynced(func() error { return fault.Advise(fault.Plain(fault.Bolt(f.bolt.Update(f.options.Seal)))) })
}

// unsynced calls write without waiting for the disk at each commit.
func (f *File) unsynced(write func() error) error {
	before := f.bolt.NoSync
	f.bolt.NoSync, f.bolt.NoGrowSync = true, true
	defer func() { f.bolt.NoSync, f.bolt.NoGrowSync = before, before }()
	return write()
}

// Finish syncs a filled copy to disk.
func (c *Copy) Finish() error {
	size, err := c.Size()
	if err != nil {
		return err
	}
	if !c.to.options.NoSync {
		if err := c.to.bolt.Sync(); err != nil {
			return fault.Advise(fault.Plain(err))
		}
	}
	c.to.bolt.AllocSize = growth(size)
	return nil
}

// ReplaceBy replaces the file by a finished copy, and returns the copy as the new open file,
// or nil if the file was not replaced. Nobody may begin to read meanwhile. Readers that have
// begun keep the old file; on Windows ReplaceBy waits for them, and if the new file cannot
// be opened then, nothing is open. Both a new file and an error may be returned.
func (f *File) ReplaceBy(c *Copy) (*File, error) {
	old, err := f.lock.File.Stat()
	if err != nil {
		return nil, fault.Plain(err)
	}
	if runtime.GOOS == "windows" {
		return f.replaceClosed(c, old)
	}
	if err := c.rename(old); err != nil {
		return nil, err
	}
	c.placed = true
	f.lock.Leave()
	c.to.take(f)
	_ = f.readers.retire(f.bolt.Close) // nothing uses it any more, whatever the error
	if err := c.to.SyncName(); err != nil {
		return c.to, fmt.Errorf("the new file is in its place, but might not be after a power failure: %w", fault.Advise(fault.Plain(err)))
	}
	return c.to, nil
}

// take gives the new file the state of the old one.
func (f *File) take(old *File) {
	f.lock.Share()
	f.path, f.commits, f.since = old.path, old.commits, old.since
	f.headed.Store(old.headed.Load())
	if f.stand() != nil {
		f.standing.replaced = true // nothing is known of it
	}
}

func (c *Copy) rename(old fs.FileInfo) error {
	err := c.file.Replace(old)
	if errors.Is(err, newfile.ErrChanged) {
		err = fault.ErrReplaced
	}
	if err != nil {
		return fmt.Errorf("the new file cannot take its place: %w", fault.Advise(fault.Plain(err)))
	}
	return nil
}

// replaceClosed replaces the file on systems where an open file cannot be replaced.
func (f *File) replaceClosed(c *Copy, old fs.FileInfo) (*File, error) {
	if !f.readers.wait(f.options.ClosePatience) {
		return nil, errReaders
	}
	// The old file is closed even if the copy fails.
	err1, err2 := c.to.bolt.Close(), f.bolt.Close()
	if err := cmp.Or(err1, err2); err != nil {
		return nil, err
	}
	c.file.File.Close()
	renamed := c.rename(old)
	c.to.path = c.path
	if err := c.to.openPath(); err != nil {
		return nil, fmt.Errorf("the file could not be opened again: %w", err)
	}
	c.placed = true // or it goes on with the old file, which is no copy to discard
	c.to.take(f)
	return c.to, renamed
}

// Write has write fill a new file, and gives it the path when it is on disk. The previous file at
// the path, old, keeps the returned name, which ends with mark. If Write is interrupted there
// is always a whole file at the path. old is nil if there is none.
func Write(path string, old *Held, mark string, write func(*newfile.File) error) (aside string, err error) {
	if old != nil {
		path = old.Path
	}
	removeLeftOver(path)
	n, err := newfile.Create(path, markRepair)
	if err != nil {
		return "", fault.Advise(fault.Bolt(err))
	}
	defer n.Discard() // does nothing once it has its path
	if old == nil {   // else it will be like old, and nobody else may read it before
		n.LikeFolder()
	}
	if err := write(n); err != nil {
		return "", fault.WithoutPath(err, n.Path())
	}
	err = n.Sync()
	switch {
	case err != nil:
	case old == nil:
		err = placeNew(n)
	default:
		aside, err = placeOver(n, old, mark)
	}
	if err != nil {
		return "", fault.Advise(fault.Plain(err))
	}
	return aside, fault.Plain(newfile.SyncFolder(filepath.Dir(n.Path())))
}

// placeNew gives a new file its path, which no file may have.
func placeNew(n *newfile.File) error {
	err := n.Link()
	if err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, newfile.ErrChanged) {
		err = n.Replace(nil) // the file system has no links
	}
	return err
}

// placeOver gives a new file the path of old, which keeps another name.
func placeOver(n *newfile.File, old *Held, mark string) (aside string, err error) {
	info, err := old.Stat()
	if err != nil {
		return "", err
	}
	if err := n.Like(info); err != nil { // whoever could read and write the file still can
		return "", err
	}
	if aside, err = n.KeepAside(info, mark); err != nil {
		return "", err
	}
	if runtime.GOOS == "windows" {
		old.Close() // an open file keeps its name there
	}
	if err := n.Replace(info); err != nil {
		n.GiveBack(aside)
		return "", err
	}
	return aside, nil
}

// OpenDetached opens an unnamed copy of the file, as it is now, for long reads. It lies
// beside the file or else where temporary files are.
func (f *File) OpenDetached(read func(*bolt.Tx) error) (*File, error) {
	path, err := filepath.EvalSymlinks(f.place)
	if err != nil {
		return nil, err
	}
	file, err := createUnnamed(path)
	if err != nil {
		return nil, err
	}
	err = f.View(func(tx *bolt.Tx) error {
		_, err := tx.WriteTo(file)
		return err
	})
	if err != nil {
		file.Close()
		return nil, err
	}
	c := &File{path: f.path, place: f.place, options: f.options}
	c.options.ReadOnly, c.options.Read = true, read
	if err := c.openWith(time.Now().Add(c.options.Timeout), func(string, int, os.FileMode) (*os.File, error) { return file, nil }); err != nil {
		return nil, err
	}
	if err := c.start(); err != nil {
		return nil, err
	}
	return c, nil
}

// createUnnamed makes an empty file without a name on the disk of path or, where its
// folder cannot be written, where temporary files are. On Windows every file has a name.
func createUnnamed(path string) (*os.File, error) {
	if runtime.GOOS == "windows" {
		return nil, errors.ErrUnsupported
	}
	if f, err := newfile.Create(path, markDetached); err == nil {
		own, err := f.Again()
		f.Discard()
		return own, err
	}
	f, err := os.CreateTemp("", "polya-detached-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, cmp.Or(f.Close(), err)
	}
	return f, nil
}
