package store

import (
	"os"

	"github.com/polya-classifier/polya/store/internal/file"
)

// open opens the new file as a database.
func (r *repair) open(o Options) (db *DB, err error) {
	o.tuning = r.options.tuning
	db = &DB{path: r.file.Path(), place: r.file.Path(), options: o, making: true}
	db.file, err = file.OpenNew(r.file, o.file(), db.readMeta)
	return db, err
}

// replace puts the new file in the place of the damaged one, which is open in f.
func (r *repair) replace(f *os.File, unlock func()) error {
	old, err := f.Stat()
	if err != nil {
		return file.Plain(err)
	}
	r.out.Damaged, err = file.Place(r.file, old, ".damaged", unlock)
	return err
}
