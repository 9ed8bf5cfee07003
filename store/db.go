package store

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/damage"
	"github.com/polya-classifier/polya/store/internal/lock"
	"github.com/polya-classifier/polya/store/internal/pages"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// How long Open waits for a file that another process has, unless Options say
// otherwise. A mail filter can wait ReadTimeout for an answer, and who trains longer than
// that: what is not learned then is lost.
const (
	ReadTimeout  = 10 * time.Second // to read
	WriteTimeout = 30 * time.Second // to read and write
)

// Options say how to open a database. The zero value opens it for reading and
// writing, makes it if it is not there, and keeps a full ledger in a new one.
type Options struct {
	// Analyzer is the spec of the analyzer that makes the terms. A new database
	// keeps it; opening another with a different one is refused. Empty asks for
	// none: whatever the database has.
	Analyzer string

	// DefaultAnalyzer is the spec that a new database keeps if Analyzer is
	// empty.
	DefaultAnalyzer string

	// Ledger is the ledger mode of a new database; 0 is LedgerFull. An existing
	// one keeps its own.
	Ledger count.Ledger

	// ReadOnly opens the file shared with other readers. Nobody can commit meanwhile.
	ReadOnly bool

	// MustExist refuses to make a new database.
	MustExist bool

	// Timeout is how long to wait for a file that is in use, to open it and to commit;
	// 0 is ReadTimeout or WriteTimeout. It is never endless.
	Timeout time.Duration

	// Share gives the file to other processes whenever this one has not used it for a
	// moment or calls Release or Aside, and when somebody waits: to commit, between two
	// Views if it is ReadOnly; else to train, between two calls. Without it a process has the right to write, or keeps
	// others from committing, until it calls Close.
	Share bool

	tuning *tuning // nil is the standard one
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	path     string
	place    string // the path from the root, wherever the process goes
	folder   string // of a database in memory, removed by Close
	options  Options
	making   bool // the file is still being made, and is not written anew meanwhile
	header   header
	analyzer string

	// commit is held by the one trainer that writes for all that wait.
	commit sync.Mutex
	queue  queue
	writes int // transactions of few documents begun so far

	// The list of free pages is written by the first commit of a process, so
	// that one which lives for one message neither walks through the file to
	// find them nor leaves that to the next; and by Close, because at every
	// commit it would cost more than the rest once a file has much free space.
	commits  int
	unlisted bool // the last commit has not written it

	// stuck says that bbolt panicked on a damaged page and has kept its lock:
	// nothing can be written, nor can the file be closed before the process ends.
	stuck bool

	headed atomic.Bool // the headers of all leaves have been looked at

	// lost says the same of the locks with which every transaction begins: nothing can
	// be read any more either.
	lost atomic.Bool

	// What a commit that failed has left to do; see undo.go.
	undo    uint64      // the transaction to be taken back, 0 if there is none
	spoiled bool        // bbolt's list of free pages is not that of the file
	hidden  atomic.Bool // readers would see transaction undo

	// What readers keep of the file; see room.go.
	pinned  int // transactions in a row that found too much
	unpinAt int // how much it has to be before that is looked at again

	growth growthState // see shrink.go

	standing standing // of a file that is written; see replaced.go

	// mu guards what a reader must see together: the file and the state in
	// memory that goes with it. Readers hold it only to begin.
	mu      sync.RWMutex
	bolt    *bolt.DB
	lock    *lock.Lock // of bolt; only who holds commit changes it
	left    leftState  // when bolt is nil because the file was released
	since   time.Time  // when it was opened last; only who holds commit changes it
	resting *time.Timer
	closed  bool
	memory  *memory
	readers *readers // of bolt

	listing sync.Mutex
	listed  *directory  // of a file opened read-only, once it was read
	looked  atomic.Bool // some snapshot has looked through the tail of the log

	attributes atomic.Pointer[knownAttributes]
}

// Open opens the database at path. It returns an error that wraps ErrNotPolya,
// ErrEmpty, ErrNotExist, ErrInUse or ErrReadOnly, a *FormatError, an *AnalyzerError or a
// *CorruptError where one of them says what is wrong.
func Open(path string, o Options) (*DB, error) {
	o.Timeout = o.timeout()
	if o.Ledger == 0 {
		o.Ledger = count.LedgerFull
	}
	if !o.Ledger.Valid() {
		return nil, fmt.Errorf("%s: %s: %w", path, o.Ledger, count.ErrInvalid)
	}
	place, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	db := &DB{path: path, place: place, options: o}
	if err := db.open(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	db.since = time.Now()
	if o.Share && db.lock.Fair() {
		db.resting = time.AfterFunc(restAfter, func() { _ = db.Release() })
	}
	return db, nil
}

func (db *DB) open() (err error) {
	defer damage.Guard(&err, "")()
	if err := db.sniff(); err != nil {
		return err
	}
	made := false
	if !db.options.ReadOnly && !db.options.MustExist {
		if made, err = makeFile(db.path, db.tuning()); err != nil {
			return err
		}
	}
	b, l, err := openBolt(db.path, &db.options)
	if err != nil {
		return err
	}
	return db.openIn(b, l, made)
}

// openIn opens the database that is in b, or closes b, and removes the file if it was
// made for that.
func (db *DB) openIn(b *bolt.DB, l *lock.Lock, made bool) error {
	defer func() {
		if db.bolt != nil {
			return
		}
		if made {
			unmake(db.path, b, l.File())
		}
		b.Close() // after a panic too, or the file stayed locked
	}()
	if err := db.readMeta(b); err != nil {
		return err
	}
	db.bolt, db.lock, db.readers = b, l, new(readers)
	if !db.options.ReadOnly {
		if err := db.stand(); err != nil {
			db.bolt = nil
			return err
		}
	}
	l.Share()
	return nil
}

// sniff refuses a file that is plainly something else before bbolt sees it.
func (db *DB) sniff() error {
	// Opening a pipe would wait for somebody at its other end.
	info, err := os.Stat(db.path)
	if errors.Is(err, fs.ErrNotExist) {
		if db.options.MustExist || db.options.ReadOnly {
			return ErrNotExist
		}
		return nil
	}
	if err != nil {
		return plainPathError(err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: not a regular file", ErrNotPolya)
	}
	if info.Size() == 0 {
		if db.options.MustExist || db.options.ReadOnly {
			return errEmpty
		}
		return nil
	}
	f, err := os.Open(db.path)
	if err != nil {
		return plainPathError(err)
	}
	defer f.Close()
	m := pages.ReadMetas(f)
	if !m.Found {
		return ErrNotPolya
	}
	need := m.Newest.Pages * m.Newest.PageSize
	if info, err = f.Stat(); err == nil && uint64(info.Size()) < need {
		return &CorruptError{What: "end of the file", Err: fmt.Errorf("%d of %d bytes are there", info.Size(), need)}
	}
	if !m.Newest.Valid || db.sniffPages(f, m.Newest) == nil {
		return nil
	}
	return db.confirmDamage(f)
}

// sniffPages looks at the pages in which bbolt would lose itself: a reader goes by
// the branches, and a writer by the list of free pages too or, without one, by all.
func (db *DB) sniffPages(f io.ReaderAt, m pages.Meta) error {
	if db.options.ReadOnly || m.Listed {
		return pages.CheckBranches(f, m, pages.Access{Appended: bucketLog, Written: bucketLedger, Write: !db.options.ReadOnly})
	}
	return pages.Check(f)
}

// confirmDamage looks again at pages that seem damaged while nobody else can
// write them.
func (db *DB) confirmDamage(f *os.File) error {
	b, err := bolt.Open(db.path, 0, &bolt.Options{Timeout: db.options.Timeout, ReadOnly: true})
	if err != nil {
		return boltError(err)
	}
	defer b.Close()
	m := pages.ReadMetas(f)
	if !m.Newest.Valid {
		return nil // bbolt says what is wrong
	}
	return damage.Page(db.sniffPages(f, m.Newest))
}

var errEmpty = fmt.Errorf("%w: %w", ErrNotPolya, ErrEmpty)

// readMeta reads the header and the analyzer, or makes them in a new file.
func (db *DB) readMeta(b *bolt.DB) error {
	fresh := false
	err := b.View(func(tx *bolt.Tx) error {
		meta := tx.Bucket(bucketMeta)
		if meta == nil || meta.Get(keyHeader) == nil {
			name, _ := tx.Cursor().First()
			fresh = name == nil
			switch {
			case !fresh:
				return ErrNotPolya
			case db.options.ReadOnly || db.options.MustExist:
				return errEmpty
			}
			return nil
		}
		return db.decodeMeta(meta, tx)
	})
	if fresh && err == nil {
		err = syncName(b.Path(), db.tuning())
	}
	if fresh && err == nil {
		err = db.initialise(b)
	}
	return err
}

func (db *DB) decodeMeta(meta *bolt.Bucket, tx *bolt.Tx) (err error) {
	if db.header, err = decodeHeader(meta.Get(keyHeader)); err != nil {
		return err
	}
	for _, name := range db.header.buckets() {
		if tx.Bucket(name) == nil {
			return &CorruptError{What: "bucket " + string(name)}
		}
	}
	spec := wire.CheckCRC(meta.Get(keyAnalyzer), keyAnalyzer)
	if spec == nil {
		return &CorruptError{What: "analyzer"}
	}
	db.analyzer = string(spec)
	if want := db.options.Analyzer; want != "" && want != db.analyzer {
		return &AnalyzerError{Have: db.analyzer, Want: want}
	}
	return nil
}

// initialise makes an empty database in one transaction.
func (db *DB) initialise(b *bolt.DB) error {
	db.header = header{version: FormatVersion, ledger: db.options.Ledger}
	rand.Read(db.header.key[:])
	db.analyzer = cmp.Or(db.options.Analyzer, db.options.DefaultAnalyzer)
	err := b.Update(func(tx *bolt.Tx) error {
		for _, name := range buckets {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		meta := tx.Bucket(bucketMeta)
		bound := binary.BigEndian.AppendUint64(nil, math.MaxUint64)
		var empty table.Builder
		return cmp.Or(
			meta.Put(keyHeader, db.header.encode()),
			meta.Put(keyAnalyzer, wire.AppendCRC([]byte(db.analyzer), keyAnalyzer)),
			meta.Put(keyCorpus, (&corpus{}).encode()),
			putTable(tx, bound, empty.Finish(0)),
		)
	})
	if err != nil {
		return withAdvice(withoutPath(boltError(err), b.Path()))
	}
	return nil
}

// putTable writes a table and the pad key behind it.
func putTable(tx *bolt.Tx, bound, data []byte) error {
	b := tx.Bucket(bucketTable)
	return cmp.Or(b.Put(bound, data), b.Put(padKey(bound), nil))
}

// Path is the path that the database was opened at.
func (db *DB) Path() string { return db.path }

// Analyzer is the analyzer's spec that the database keeps.
func (db *DB) Analyzer() string { return db.analyzer }

// Ledger is the database's ledger mode.
func (db *DB) Ledger() count.Ledger { return db.header.ledger }

// Close waits for the training under way and, for some seconds, for readers to end,
// and closes the file. If readers stay it returns an error, and the file is closed
// when the last has ended. A file much of which is free is copied first, which takes
// as long as Compact. Closing twice does nothing.
func (db *DB) Close() (err error) {
	defer damage.Guard(&err, db.path)()
	if db.resting != nil {
		db.resting.Stop()
	}
	db.commit.Lock()
	defer db.commit.Unlock()
	if db.bolt != nil && (db.commits > 0 || db.undo != 0) {
		if err = db.openInPlace(); err == ErrClosed {
			return nil
		}
	}
	if err == nil {
		db.shrinkClosing()
	}
	db.mu.Lock()
	if db.closed {
		db.mu.Unlock()
		return nil
	}
	db.closed = true
	b, r := db.bolt, db.readers
	db.mu.Unlock()
	defer db.removeFolder()
	if b == nil {
		return nil // it was released
	}
	if err != nil {
		// The file is left as somebody else has made it.
	} else if db.undo != 0 {
		err = db.takeBack()
	} else if db.unlisted && !db.stuck && !db.spoiled {
		db.listFree(b)
	}
	if db.stuck || db.lost.Load() {
		return db.fail(err)
	}
	r.wait(db.tuning().closePatience)
	return db.fail(cmp.Or(err, r.retire(b.Close)))
}

// listFree writes the list of free pages. If it cannot, the next process takes
// longer to open the file.
func (db *DB) listFree(b *bolt.DB) {
	var ignored error
	defer damage.Guard(&ignored, "")()
	b.NoFreelistSync = false
	share, err := db.alone(db.tuning().readerPatience)
	if err != nil {
		return
	}
	defer share()
	db.stuck = true
	if tx, err := db.beginBolt(b, true); err == nil {
		defer func() {
			tx.Rollback() // bbolt's Update would walk through a damaged file
			db.stuck = false
		}()
		b.MaxSize = db.mappedSize(b, tx)
		id := tx.ID()
		if err := tx.Commit(); err != nil {
			_ = db.failed(b, id, err)
			return
		}
		db.unlisted = db.wrote(id) != nil // or what it has left would be taken for another's
	} else {
		db.stuck = false
	}
}
