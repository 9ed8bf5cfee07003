package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/internal/background"
	"github.com/polya-classifier/polya/serve/drift"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// ErrClosed is the error of opening a database after Close.
var ErrClosed = errors.New("the daemon is stopping")

// After a failure to open a database nobody tries again for retryAfter, and opening it
// waits at most openTimeout for another process: questions are answered without delay.
const (
	retryAfter  = time.Second
	openTimeout = 200 * time.Millisecond
)

// patience is how long requests wait for a file that was handed over, before it is taken back.
const patience = 3 * time.Second

// Options say how to open a Database and which functions it calls after changes.
type Options struct {
	Classify classify.Options
	Fits     *background.Queue[*Database] // fits models, see NewFits
	Log      *slog.Logger

	// Base is the shared database that a user's is added to; nil for the shared one itself.
	Base *Database

	// User is the name of the user whose database it is, "" for the shared one.
	User string

	// Publisher puts trainings into a log that the database follows; nil learns them at once.
	Publisher Publisher

	Watch *drift.Watch // counts what is learned automatically and what people correct of it; nil counts nothing

	Opened func(*classify.Classifier) // called when it is opened, unless it is nil
}

// Publisher appends Deltas to an ordered log, from which somebody else applies them to
// the databases.
type Publisher interface {
	// Publish returns when d is durable in the log and the database of a user has applied it, or the
	// shared one if user is "", which it does after all that the log had before for any database, with
	// what that changed or why d was refused. After an error d may still be in the log and be applied;
	// publishing a training twice changes nothing. It waits no longer than a person who teaches would.
	// If d is nil, the models of the user's database are fitted there: see Database.FitAt.
	Publish(ctx context.Context, user string, d *store.Delta) (store.Applied, error)
	// Ready returns why the databases are not yet what the log says, nil once they were.
	Ready() error
}

// A Database is one database, opened when it is needed. Its methods may be called from many
// goroutines.
type Database struct {
	Path    string // of its file; set once
	options Options

	undone atomic.Bool // much was taken back since it was calibrated

	viewing sync.Mutex
	view    *classify.View          // the last one, nil if there was none
	viewOf  [2]*classify.Classifier // base and own

	writing  *semaphore.Weighted // of which trainings and fits take 1 to write, and another process the whole
	patience time.Duration       // how long to wait for a process that was handed the file

	opening chan struct{} // holds a token while somebody opens or closes it

	mu       sync.Mutex
	c        *classify.Classifier // nil if it is not open
	failed   error                // of the last opening, at
	at       time.Time
	closed   bool
	handover *handover // the last one, nil if there was none
	away     bool      // another process writes

	holders  int // those that use it; while there are any it is not closed to make room
	queue    []*Training
	learning bool           // a goroutine works on the queue
	learners sync.WaitGroup // that goroutine
	auto     *autoCounts    // owned by that goroutine; nil before it has counted
}

// handover is one time that another process may write the file.
type handover struct {
	mu   sync.Mutex
	over bool
}

// New returns the database at a path. It is not opened yet.
func New(path string, o Options) *Database {
	return &Database{Path: path, options: o, opening: make(chan struct{}, 1), writing: semaphore.NewWeighted(whole), patience: patience}
}

// Follows reports whether the database follows a log.
func (d *Database) Follows() bool { return d.options.Publisher != nil }

// Open returns the open database, or nil if it does not exist and create is false.
func (d *Database) Open(ctx context.Context, create bool) (*classify.Classifier, error) {
	if c := d.Current(); c != nil {
		return c, nil
	}
	select {
	case d.opening <- struct{}{}:
		defer func() { <-d.opening }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	d.mu.Lock()
	c, closed, failed, recent := d.c, d.closed, d.failed, time.Since(d.at) < retryAfter
	d.mu.Unlock()
	switch {
	case closed:
		return nil, ErrClosed
	case c != nil:
		return c, nil
	case recent && failed != nil && !missing(failed): // a missing one may be made at any moment
		return nil, failed
	}
	o, err := d.prepare(ctx, create)
	if err != nil {
		return nil, err
	}
	c, err = classify.Open(d.Path, o)
	if err == nil && d.options.Opened != nil {
		d.options.Opened(c)
	} else if errors.Is(err, fs.ErrPermission) {
		err = fmt.Errorf("%w: it must belong to the user of this process (%d), who reads and writes it", err, os.Geteuid())
	}
	d.mu.Lock()
	d.c, d.failed, d.at = c, err, time.Now()
	d.mu.Unlock()
	switch {
	case err == nil:
		d.fitLater()
		return c, nil
	case missing(err) && !create:
		return nil, nil
	}
	d.options.Log.Error("cannot open database", "path", d.Path, "error", err)
	return nil, err
}

// prepare returns the options to open the database with. A user's gets the base's analyzer and, with create,
// its folder. While another process writes the file it is only read, without blocking that process.
func (d *Database) prepare(ctx context.Context, create bool) (classify.Options, error) {
	o := d.options.Classify
	o.Store.MustExist = o.Store.MustExist || !create
	o.Store.Timeout = cmp.Or(o.Store.Timeout, openTimeout)
	d.mu.Lock()
	if d.away {
		o.Store.ReadOnly, o.Store.Share, o.Store.MustExist, o.Store.Timeout = true, true, true, 0
	}
	d.mu.Unlock()
	if d.options.Base == nil {
		return o, nil
	}
	base, err := d.options.Base.Open(ctx, false)
	if err != nil {
		return o, err
	}
	if base != nil {
		o.Analyzer = base.Analyzer().Spec()
	}
	if create {
		err = os.MkdirAll(filepath.Dir(d.Path), 0o700)
	}
	return o, err
}

// Suits returns why the database at a path could not take the place of this one.
func (d *Database) Suits(ctx context.Context, path string) error {
	o, err := d.prepare(ctx, false)
	if err != nil {
		return err
	}
	o.Store.ReadOnly, o.Store.MustExist = true, true
	c, err := classify.Open(path, o)
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Store().View(func(s *store.Snapshot) error {
		if log, err := s.Stream(); log == nil || err != nil {
			return err
		}
		return store.ErrFollows
	})
}

// missing reports whether an error says that the database does not exist yet.
func missing(err error) bool {
	return errors.Is(err, store.ErrNotExist) || errors.Is(err, store.ErrEmpty)
}

// Existing is Open without create; the error wraps store.ErrNotExist if there is no database yet.
func (d *Database) Existing(ctx context.Context) (*classify.Classifier, error) {
	c, err := d.Open(ctx, false)
	if c == nil && err == nil {
		err = fmt.Errorf("%s: %w", d.Path, store.ErrNotExist)
	}
	return c, err
}

// Current returns the database if it is open, or nil.
func (d *Database) Current() *classify.Classifier {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.c
}

// Classes returns the names of its classes or tags, none if it does not exist.
func (d *Database) Classes(ctx context.Context) (names []string, err error) {
	c, err := d.Open(ctx, false)
	if c == nil || err != nil {
		return nil, err
	}
	classes, err := c.Classes()
	for _, class := range classes {
		if c.Store().Tags() {
			names = append(names, count.Tags(class.Name)...)
		} else {
			names = append(names, class.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), err
}

// Reopen closes the database, so that the next request opens it.
func (d *Database) Reopen() { d.reopen(func() {}) }

// reopen is Reopen with a change made under the lock.
func (d *Database) reopen(change func()) { d.report(d.shut(change)) }

// report logs an error of closing the database, unless another file has its path now.
func (d *Database) report(err error) {
	if err != nil && !errors.Is(err, store.ErrReplaced) {
		d.options.Log.Error("cannot close database", "path", d.Path, "error", err)
	}
}

// shut closes the database if it is open, with a change made under the lock.
func (d *Database) shut(change func()) error {
	d.opening <- struct{}{}
	defer func() { <-d.opening }()
	d.mu.Lock()
	c := d.c
	d.c, d.failed = nil, nil
	change()
	d.mu.Unlock()
	if c == nil {
		return nil
	}
	return c.Close()
}

// Close waits for the trainings in the queue and closes the database for good.
func (d *Database) Close() error {
	d.learners.Wait()
	return d.shut(func() { d.closed = true })
}
