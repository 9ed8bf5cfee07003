package store

import "github.com/polya-classifier/polya/store/internal/file"

// open opens the new file as a database.
func (r *repair) open(o Options) (db *DB, err error) {
	o.tuning = r.options.tuning
	db = &DB{path: r.file.Path(), place: r.file.Path(), options: o, making: true}
	db.file, err = file.OpenNew(r.file, db.fileOptions())
	return db, err
}
