package file

import (
	"bytes"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/pages"
)

// Check checks all pages of the file except the meta pages, while nobody writes it. bbolt
// might never come to the end of a file that does not pass.
func (f *File) Check() error { return fault.Page(pages.Check(f.lock.File())) }

// CheckMetas checks the meta pages, while nobody writes them. If one is damaged the last
// transaction may be missing, since a transaction writes a meta page last; all else is
// there.
func (f *File) CheckMetas() error { return fault.Page(pages.ReadMetas(f.lock.File()).Damage) }

// CheckHeads checks the headers of all leaves, once, in the state that a transaction began with:
// before it commits pages all over the file, or takes keys from leaves, which may join neighbours
// then. Otherwise a single training checks the few leaves that it changes; see CheckKeys.
func (f *File) CheckHeads() error {
	if f.headed.Load() {
		return nil
	}
	err := fault.Page(pages.CheckHeads(f.lock.File()))
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
	return fault.Page(pages.CheckKeys(f.lock.File(), size, uint64(tx.Size())/uint64(size), root, low, high))
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
