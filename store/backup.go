package store

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	bolt "go.etcd.io/bbolt"
)

// Backup writes a copy of the database, as of one moment, to w and returns the
// number of bytes. Training goes on meanwhile. The copy is a database.
func (db *DB) Backup(w io.Writer) (n int64, err error) {
	err = db.View(func(s *Snapshot) error {
		n, err = s.tx.WriteTo(w)
		return db.fail(err)
	})
	return n, err
}

// Warm reads the whole file once, in order, so that what follows does not wait
// for the disk page by page.
func (db *DB) Warm() error {
	f, err := os.Open(db.path)
	if err != nil {
		return db.fail(plainPathError(err))
	}
	defer f.Close()
	_, err = io.Copy(io.Discard, bufio.NewReaderSize(f, 1<<20))
	return db.fail(err)
}

// Size is the size of the file in bytes.
func (db *DB) Size() (int64, error) {
	info, err := os.Stat(db.path)
	if err != nil {
		return 0, db.fail(plainPathError(err))
	}
	return info.Size(), nil
}

// compactTx bounds the memory of a compaction: so many bytes are copied in one
// transaction.
const compactTx = 16 << 20

// Compact brings all tables up to date and rewrites the file without free
// space. Readers and trainers wait. If it fails, the database is as it was.
func (db *DB) Compact() error {
	return db.admin(func() error {
		if err := db.rewrite(func(b *bulk) error { return nil }, nil); err != nil {
			return err
		}
		return db.replaceFile()
	})
}

// replaceFile copies the file beside itself and puts the copy in its place. The
// copy is locked before it has the name, so that no other process comes between.
func (db *DB) replaceFile() (err error) {
	path, err := filepath.EvalSymlinks(db.path)
	if err != nil {
		return plainPathError(err)
	}
	if err := db.checkFile(); err != nil {
		return err // what is not a tree can be copied for ever
	}
	reserved, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".compact-*")
	if err != nil {
		return plainPathError(err)
	}
	temporary := reserved.Name()
	reserved.Close()
	defer func() {
		if err != nil {
			os.Remove(temporary)
		}
	}()
	copied, err := openBolt(temporary, &Options{Timeout: DefaultTimeout})
	if err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil {
		// Who could read and write it still can.
		if err := cmp.Or(os.Chmod(temporary, info.Mode().Perm()), sameOwner(temporary, info)); err != nil {
			copied.Close()
			return plainPathError(err)
		}
	}
	copied.NoFreelistSync = false
	// No reader may begin between here and the end, nor still be there.
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := bolt.Compact(copied, db.bolt, compactTx); err != nil {
		copied.Close()
		return withoutPath(boltError(err), temporary)
	}
	if err := copied.Sync(); err != nil {
		copied.Close()
		return plainPathError(err)
	}
	if runtime.GOOS == "windows" {
		return db.swapClosed(copied, temporary, path)
	}
	if err := os.Rename(temporary, path); err != nil {
		copied.Close()
		return plainPathError(err)
	}
	old := db.bolt
	db.bolt, db.memory, db.unlisted = copied, nil, false
	return cmp.Or(old.Close(), syncDir(filepath.Dir(path)))
}

// swapClosed renames where an open file cannot be replaced.
func (db *DB) swapClosed(copied *bolt.DB, temporary, path string) error {
	// The old file is closed whatever becomes of the copy: from here on the
	// database is closed until it is opened again.
	db.closed = true
	err1, err2 := copied.Close(), db.bolt.Close()
	if err := cmp.Or(err1, err2); err != nil {
		return err
	}
	renamed := os.Rename(temporary, path)
	reopened, err := openBolt(path, &db.options)
	if err != nil {
		return fmt.Errorf("the file could not be opened again: %w", err)
	}
	db.bolt, db.memory, db.unlisted, db.closed = reopened, nil, false, false
	return renamed
}

func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return plainPathError(err)
	}
	defer f.Close()
	return f.Sync()
}
