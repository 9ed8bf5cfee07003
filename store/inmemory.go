package store

import (
	"fmt"
	"os"
	"path/filepath"
)

// OpenMemory opens a temporary database: a copy of data, the content of a database file,
// or a new one if data is empty and o does not ask for one that exists. With ReadOnly it
// cannot be changed. It is gone after Close; Backup writes it to a permanent place.
//
// bbolt reads and writes a file in a private new folder in os.TempDir, without waiting
// for the disk. Close removes both; a process that is killed leaves the folder, named
// polya- and a number.
func OpenMemory(data []byte, o Options) (db *DB, err error) {
	dir, err := os.MkdirTemp("", "polya-*")
	if err != nil {
		return nil, fmt.Errorf("a database in memory needs a folder for a file: %w", err)
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	path := filepath.Join(dir, "memory.polya")
	if len(data) > 0 {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return nil, err
		}
	}
	t := *o.tuned()
	t.NoSync = true
	o.tuning = &t
	if db, err = Open(path, o); err != nil {
		return nil, err
	}
	db.folder = dir
	return db, nil
}
