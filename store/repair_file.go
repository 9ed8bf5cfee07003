package store

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
)

// This file is how a repaired database takes the place of the damaged one.

// open opens the new file as a database.
func (r *repair) open(o Options) (*DB, error) {
	o.tuning = r.options.tuning
	db := &DB{path: r.file.Path(), place: r.file.Path(), options: o, making: true}
	b, file, err := openNew(r.file, o.tuned())
	if err != nil {
		return nil, err
	}
	return db, db.openIn(b, file, false)
}

// replace gives the damaged file, which is open in f, a second name, which it keeps,
// and its first one to the new file. Whenever that is cut short there is a file at
// path: the damaged one or the new one, whole.
func (r *repair) replace(path string, f *os.File, unlock func()) error {
	old, err := f.Stat()
	if err != nil {
		return plainPathError(err)
	}
	// Who could read and write the file still can.
	if err := cmp.Or(r.file.Sync(), r.file.Like(old)); err != nil {
		return plainPathError(err)
	}
	if r.out.Damaged, err = r.file.KeepAside(old, ".damaged"); err != nil {
		return plainPathError(err)
	}
	if runtime.GOOS == "windows" {
		unlock() // an open file keeps its name there
	}
	if err := r.file.Replace(old); err != nil {
		r.file.GiveBack(r.out.Damaged)
		return plainLinkError(plainPathError(err))
	}
	return syncDir(filepath.Dir(path))
}
