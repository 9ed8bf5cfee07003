package file

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/pages"
)

// Check checks all pages of the file except the meta pages, while nobody writes it. bbolt
// might never come to the end of a file that does not pass.
func (f *File) Check() error { return fault.Page(pages.Check(f.lock.File)) }

// CheckMetas checks the meta pages, while nobody writes them. If one is damaged the last
// transaction may be missing, since a transaction writes a meta page last; all else is
// there.
func (f *File) CheckMetas() error { return fault.Page(pages.ReadMetas(f.lock.File).Damage) }

// CheckHeads checks the headers of all leaves, once, in the state that a transaction began with:
// before it commits pages all over the file, or takes keys from leaves, which may join neighbours
// then. Otherwise a single training checks the few leaves that it changes; see CheckKeys.
func (f *File) CheckHeads() error {
	if f.headed.Load() {
		return nil
	}
	err := fault.Page(pages.CheckHeads(f.lock.File))
	f.headed.Store(err == nil)
	return err
}

// CheckKeys checks the pages of a bucket on which the keys from low to high are, or have
// room, in the state that tx began with; from low on if high is nil. A training calls it
// for a leaf that it is about to change, and a reader for what was not checked on opening.
func (f *File) CheckKeys(tx *bolt.Tx, bucket, low, high []byte) error {
	root := uint64(tx.Bucket(bucket).Root())
	always := bytes.Equal(bucket, f.options.Always) // a training may change any of its leaves
	if root == 0 || f.headed.Load() && (f.options.ReadOnly || !always) {
		return nil // a root of 0 lies in the root bucket, which is checked on opening
	}
	size := f.bolt.Info().PageSize
	return fault.Page(pages.CheckKeys(f.lock.File, size, uint64(tx.Size())/uint64(size), root, low, high))
}

// CheckFree lets bbolt account for all pages, each of which must be in use or free, and
// calls problem for each that is neither. Check must have passed before.
func (f *File) CheckFree(problem func(error)) error {
	if f.options.ReadOnly {
		return nil // it has not loaded the list of free pages
	}
	return f.View(func(tx *bolt.Tx) error {
		for err := range tx.Check() {
			problem(err)
		}
		return nil
	})
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
		return errNotRegular()
	case info.Size() == 0 && exists:
		return errNothing()
	case info.Size() == 0:
		return nil
	}
	file, err := os.Open(f.path)
	if err != nil {
		return fault.Plain(err)
	}
	defer file.Close()
	if f.options.ReadOnly {
		readAhead(file, info.Size())
	}
	m := pages.ReadMetas(file)
	if !m.Found {
		return fault.ErrNotPolya
	}
	need := m.Newest.Pages * m.Newest.PageSize
	if info, err = file.Stat(); err == nil && uint64(info.Size()) < need {
		return &fault.Error{What: "end of the file", Err: fmt.Errorf("%d of %d bytes are there", info.Size(), need)}
	}
	if !m.Newest.Valid || f.sniffPages(file, m.Newest) == nil {
		return nil
	}
	return f.confirmDamage(file)
}

// sniffPages checks the pages on which bbolt might never end: a reader follows the
// branches, and a writer also reads the list of free pages or, without one, all pages.
func (f *File) sniffPages(file *os.File, m pages.Meta) error {
	if f.options.ReadOnly || m.Listed {
		return pages.CheckBranches(file, m, f.options.Access)
	}
	return pages.Check(file)
}

// confirmDamage checks pages that seem damaged again, while nobody can write them.
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
	return fault.Page(f.sniffPages(file, m.Newest))
}
