package store

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/pages"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// The time that Open waits for a file that another process has open, unless Options say
// otherwise. A mail filter can wait readTimeout for an answer, and a training longer: if it
// fails, its document is lost.
const (
	readTimeout  = 10 * time.Second // to read
	writeTimeout = 30 * time.Second // to read and write
)

// Options say how to open a database. The zero value opens it for reading and
// writing, makes it if it is not there, and keeps a full ledger in a new one.
type Options struct {
	// Analyzer is the spec of the analyzer that makes the terms. A new database keeps it; one
	// that has another is refused. Empty accepts any.
	Analyzer string

	// DefaultAnalyzer is the spec that a new database keeps if Analyzer is empty.
	DefaultAnalyzer string

	// Ledger is the ledger mode of a new database; 0 is count.LedgerFull.
	Ledger count.Ledger

	// Tags makes the classes of a new database sets of tags, with names that count.TagSet
	// makes.
	Tags bool

	// ReadOnly opens the file shared with other readers. Nobody can commit until it is closed.
	ReadOnly bool

	// MustExist refuses to make a new database.
	MustExist bool

	// Timeout is how long to wait for a file that is in use, to open it and to commit; 0 is
	// 10 s for a database that is only read, and else 30 s. There is no endless wait.
	Timeout time.Duration

	// Share gives the file to other processes whenever this one has not used it for a moment
	// or calls Detached, and when somebody waits: if it is ReadOnly, to commit, between two
	// Views; else to train, between two calls. Without it only Close does.
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
	header   stored.Header
	analyzer string

	// commit is held by the trainer that writes for all that wait.
	commit  sync.Mutex
	queue   queue
	writes  int // transactions of few documents begun so far
	staging staging

	growth growthState // see shrink.go

	// mu guards the file and its state in memory, which a reader must see together. Readers
	// hold it only to begin.
	mu     sync.RWMutex
	file   *file.File // nil while it is released; only who holds commit changes it
	memory *memory
	closed bool
	left   file.State // when the file was released
	idle   *time.Timer

	looks atomic.Int32 // how often snapshots have looked through the tail of the log
}

// Open opens the database at path. It returns an error that wraps ErrNotPolya, ErrEmpty,
// ErrNotExist, ErrInUse or ErrReadOnly, an *AnalyzerError, a *FormatError or a *CorruptError
// where one of them says what is wrong.
func Open(path string, o Options) (*DB, error) {
	o.Timeout = o.timeout()
	o.Ledger = cmp.Or(o.Ledger, count.LedgerFull)
	if !o.Ledger.Valid() {
		return nil, fmt.Errorf("%s: %s: %w", path, o.Ledger, count.ErrInvalid)
	}
	if path == "" {
		return nil, fmt.Errorf("no name of a database file is given: %w", os.ErrInvalid)
	}
	place, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	db := &DB{path: path, place: place, options: o}
	db.queue.turn = make(chan struct{}, 1)
	if err := db.open(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if o.Share && db.file.Fair() {
		db.idle = time.AfterFunc(idleAfter, func() { _ = db.releaseNow(true) })
	}
	return db, nil
}

func (db *DB) open() (err error) {
	defer fault.Guard(&err, "")()
	db.file, err = file.Open(db.path, db.place, db.fileOptions())
	return err
}

func (db *DB) fileOptions() file.Options {
	o := db.options.file()
	o.Read, o.Make = db.readMeta, db.makeMeta
	return o
}

// file returns the options for a file that is written key by key.
func (o *Options) file() file.Options {
	return file.Options{
		ReadOnly:  o.ReadOnly,
		MustExist: o.MustExist,
		Timeout:   o.timeout(),
		Access:    pages.Access{Later: [][]byte{stored.BucketLog, stored.BucketLedger}},
		Always:    stored.BucketLog,
		Fill:      copyFill,
		Seal:      func(tx *bolt.Tx) error { return layout.Tx{Tx: tx}.SetUnnamed(true) },
		Tuning:    o.tuned().Tuning,
	}
}

func (o *Options) timeout() time.Duration {
	switch {
	case o.Timeout > 0:
		return o.Timeout
	case o.ReadOnly:
		return readTimeout
	}
	return writeTimeout
}

func (db *DB) readMeta(btx *bolt.Tx) (err error) {
	tx := layout.Tx{Tx: btx}
	if meta := tx.Bucket(stored.BucketMeta); meta == nil || meta.Get(stored.KeyHeader) == nil {
		return ErrNotPolya
	}
	if db.header, err = tx.Header(); err != nil {
		return err
	}
	for _, name := range db.header.Buckets() {
		if tx.Bucket(name) == nil {
			return &CorruptError{What: "bucket " + string(name)}
		}
	}
	spec := tx.Analyzer()
	if spec == nil {
		return &CorruptError{What: "analyzer"}
	}
	db.analyzer = string(spec)
	if want := db.options.Analyzer; want != "" && want != db.analyzer {
		return &AnalyzerError{Have: db.analyzer, Want: want}
	}
	return nil
}

func (db *DB) makeMeta(tx *bolt.Tx) error {
	db.header = stored.Header{Version: FormatVersion, Ledger: db.options.Ledger}
	if db.options.Tags {
		db.header.Flags = stored.FlagTags
	}
	rand.Read(db.header.Key[:])
	db.analyzer = cmp.Or(db.options.Analyzer, db.options.DefaultAnalyzer)
	return layout.Tx{Tx: tx}.Create(&db.header, db.analyzer)
}

// Path returns the path that the database was opened at.
func (db *DB) Path() string { return db.path }

// Analyzer returns the analyzer's spec that the database keeps.
func (db *DB) Analyzer() string { return db.analyzer }

// Ledger returns the database's ledger mode.
func (db *DB) Ledger() count.Ledger { return db.header.Ledger }

// Tags reports whether the classes of the database are sets of tags.
func (db *DB) Tags() bool { return db.header.Tags() }

// Close waits for the training under way and, for some seconds, for readers to end, and closes
// the file. If readers stay it returns an error, and the file is closed when the last has
// ended. Close merges what this process has learned if that is much, and copies a file with
// much free space, as Compact does. Closing twice does nothing.
func (db *DB) Close() (err error) {
	defer fault.Guard(&err, db.path)()
	db.commit.Lock()
	defer db.commit.Unlock()
	if db.closed {
		return nil
	}
	if db.growth.freed && db.file == nil {
		db.options.Timeout = min(db.options.Timeout, db.tuning().ClosePatience)
		_ = db.reopen() // or who trains next makes the file smaller
	}
	if db.idle != nil {
		db.idle.Stop()
	}
	if db.file != nil && db.file.Changed() {
		err = db.file.InPlace()
	}
	if err == nil {
		db.tidy()
	}
	db.mu.Lock()
	db.closed = true
	f := db.file
	db.mu.Unlock()
	if db.folder != "" {
		defer os.RemoveAll(db.folder)
	}
	if f == nil {
		return nil // it was released
	}
	return db.fail(f.Close(err))
}

// opened returns the open file, opened again if it was released, or ErrClosed. The caller
// holds db.commit.
func (db *DB) opened() (*file.File, error) {
	if err := db.reopen(); err != nil {
		return nil, err
	}
	if db.closed { // only who holds db.commit closes
		return nil, ErrClosed
	}
	return db.file, nil
}

// locked calls f with the open file while nobody changes the database.
func (db *DB) locked(f func(*file.File) error) (err error) {
	defer fault.Guard(&err, db.path)()
	db.commit.Lock()
	defer db.commit.Unlock()
	open, err := db.opened()
	if err != nil {
		return db.fail(err)
	}
	return db.fail(f(open))
}

// Size returns the size of the file in bytes.
func (db *DB) Size() (int64, error) {
	info, err := os.Stat(db.place)
	if err != nil {
		return 0, db.fail(fault.Plain(err))
	}
	return info.Size(), nil
}

func (db *DB) fail(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", db.path, err)
}
