package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/damage"
	"github.com/polya-classifier/polya/store/internal/lock"
	"github.com/polya-classifier/polya/store/internal/pages"
)

// This file is how a process that computes for long lets others train meanwhile: it
// gives the file back, as Close does, and opens it again for what comes next.

// leftState is the state of the file when it was released. Its number and that of the
// transaction do not tell it from another: the system gives the number of a file that
// is gone to the next, and two copies that are made alike have as many transactions.
type leftState struct {
	file fs.FileInfo
	tx   uint64
}

// leave returns the state of file.
func leave(file *os.File) (leftState, error) {
	info, err := file.Stat()
	if err != nil {
		return leftState{}, plainPathError(err)
	}
	return leftState{info, pages.ReadMetas(file).Newest.Tx}, nil
}

// is says whether nobody has written the file between the two states.
func (l leftState) is(now leftState) bool {
	return os.SameFile(l.file, now.file) && l.tx == now.tx &&
		l.file.Size() == now.file.Size() && l.file.ModTime().Equal(now.file.ModTime())
}

// restAfter is after how much time without use a file is released.
const restAfter = 50 * time.Millisecond

// rest has the file released, in a while, if nobody uses it.
func (db *DB) rest() {
	if db.resting != nil {
		db.resting.Reset(restAfter)
	}
}

// Release gives the file to other processes until the next call of any method that
// reads or changes the database, which waits for it as Open does and goes on from what
// is there then. It is called by itself when the database was not used for a moment. It
// does nothing without Options.Share, where the system cannot share
// files between processes that write, and while a View is under way.
func (db *DB) Release() (err error) {
	defer damage.Guard(&err, db.path)()
	db.commit.Lock()
	defer db.commit.Unlock()
	return db.fail(db.release(true))
}

// release is Release for who holds db.commit. Only if it may shrink the file does it look
// at what that has to spare.
func (db *DB) release(shrink bool) error {
	if !db.options.Share || db.closed || db.bolt == nil || !db.lock.Fair() || db.stuck || db.spoiled || db.undo != 0 || db.lost.Load() {
		return nil
	}
	if db.commits > 0 && db.inPlace() == nil { // or it is left as somebody else has made it
		if shrink {
			db.shrinkClosing()
		}
		if db.unlisted {
			db.listFree(db.bolt)
		}
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if !db.readers.idle() {
		return nil
	}
	left, err := leave(db.lock.File())
	if err != nil {
		return err
	}
	b := db.bolt
	db.left = left
	db.bolt = nil
	return boltError(b.Close())
}

// inTheWay says whether another process waits until this one lets it: to commit, if this
// one only reads, and else to train, if this one has had the file for long enough that
// opening it again costs little beside. Whoever calls it holds db.mu or db.commit.
func (db *DB) inTheWay() bool {
	if !db.options.Share || db.closed || db.bolt == nil || !db.readers.idle() {
		return false
	}
	if db.options.ReadOnly {
		return db.lock.Wanted()
	}
	return time.Since(db.since) > restAfter && db.lock.Awaited()
}

// giveWay releases the file to who waits for it, and keeps it no longer to shrink it.
func (db *DB) giveWay() (err error) {
	defer damage.Guard(&err, db.path)()
	db.commit.Lock()
	defer db.commit.Unlock()
	return db.fail(db.release(false))
}

// idle says whether nobody reads.
func (r *readers) idle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.active) == 0
}

var errOther = errors.New("another database has taken its place; open it anew")

// reopen opens the file again that was released. Whoever calls it holds db.commit.
func (db *DB) reopen() error {
	db.mu.RLock()
	open := db.bolt != nil || db.closed
	db.mu.RUnlock()
	if open {
		return nil
	}
	now := DB{path: db.place, place: db.place, options: db.options}
	now.options.MustExist = true
	if err := now.open(); err != nil {
		return err
	}
	if now.header.key != db.header.key || now.header.ledger != db.header.ledger || now.analyzer != db.analyzer {
		now.bolt.Close()
		return errOther
	}
	same := now.isStill(db.left) && now.endsWith(db.memory)
	db.mu.Lock()
	defer db.mu.Unlock()
	memory := db.memory
	db.swapped(now.bolt, now.lock)
	db.rest() // whoever asked may have no View that ends
	db.commits, db.standing, db.since = 0, now.standing, time.Now()
	db.options.tuning = now.options.tuning
	db.listing.Lock()
	db.listed = nil // it leads into the mapping that has gone
	db.listing.Unlock()
	if same {
		db.memory = memory
		return nil
	}
	db.headed.Store(false)
	return nil
}

// isStill says whether nobody has changed the file since it was released.
func (db *DB) isStill(left leftState) bool {
	now, err := leave(db.lock.File())
	return err == nil && left.is(now)
}

// endsWith says whether the log ends where m says. The times of a file may be coarse.
func (db *DB) endsWith(m *memory) (same bool) {
	if m == nil {
		return true
	}
	err := db.viewBolt(db.bolt, func(tx *bolt.Tx) error {
		same = tx.Bucket(bucketLog).Sequence() == m.newest().seq
		return nil
	})
	return err == nil && same
}

// Aside is View of a copy of the file, for what takes long: other processes may train
// meanwhile, and also after it until this one uses the database again. Without
// Options.Share, and where no copy can be made, it is View.
func (db *DB) Aside(f func(*Snapshot) error) error {
	c, err := db.aside()
	if err != nil {
		return db.fail(err)
	}
	if c == nil {
		return db.View(f)
	}
	defer c.Close()
	return c.View(f)
}

// aside copies the file, which has no name then, and releases it. It returns nil if that
// cannot be done.
func (db *DB) aside() (c *DB, err error) {
	defer damage.Guard(&err, "")()
	db.commit.Lock()
	defer db.commit.Unlock()
	if err := db.reopen(); err != nil {
		return nil, err
	}
	if !db.options.Share || db.closed || !db.lock.Fair() || !db.readers.idle() {
		return nil, nil
	}
	if db.unlisted && db.inPlace() == nil {
		db.listFree(db.bolt) // or it would be done after the copy
	}
	file, err := db.unnamedCopy()
	if err != nil {
		return nil, nil // there is no room; the database itself does as well
	}
	c = &DB{path: db.path, options: db.options, header: db.header, analyzer: db.analyzer}
	c.options.ReadOnly, c.options.Share = true, false
	if c.openCopy(file) != nil {
		return nil, nil // there may be too little address space
	}
	if err := db.release(false); err != nil {
		c.Close()
		return nil, err
	}
	c.left = db.left
	return c, nil
}

// unnamedCopy copies the file into one without a name, beside it or else where temporary
// files are.
func (db *DB) unnamedCopy() (*os.File, error) {
	path, err := filepath.EvalSymlinks(db.place)
	if err != nil {
		return nil, err
	}
	file, err := createUnnamed(path)
	if err != nil {
		return nil, err
	}
	tx, err := db.beginBolt(db.bolt, false)
	if err == nil {
		defer tx.Rollback()
		_, err = tx.WriteTo(file)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// openCopy makes c the database in file, which nobody else has.
func (c *DB) openCopy(file *os.File) error {
	b, l, err := openWith(c.path, &c.options, c.options.deadline(), func(string, int, os.FileMode) (*os.File, error) { return file, nil })
	if err != nil {
		return lockError(boltError(err))
	}
	return c.openIn(b, l, false)
}

// Claim says whether this process is now the only one that has claimed the right to do
// something about the database that need not be done twice, and returns what gives that
// back. Where the system has no such claims everybody has it.
func (db *DB) Claim() (release func(), claimed bool, err error) {
	release, err = lock.Claim(db.place)
	switch {
	case errors.Is(err, lock.ErrTimeout):
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("%s: %w", db.path, plainPathError(err))
	}
	return release, true, nil
}
