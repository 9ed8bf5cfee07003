package engine

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/store"
)

// After a failure to open a database nobody tries again for retryAfter, and opening it
// waits at most openTimeout for another process: questions are answered without delay.
const (
	retryAfter  = time.Second
	openTimeout = 200 * time.Millisecond
)

// database is one database, opened when it is needed.
type database struct {
	path    string
	options classify.Options
	fits    *fitter
	log     *slog.Logger

	publisher Publisher // nil if it follows no log

	base   *database   // the shared database, to which a user's is added; nil for the shared one itself
	pool   *pool       // of the users' databases
	undone atomic.Bool // much was taken back since it was calibrated

	viewing sync.Mutex
	view    *classify.View // the last one, nil if there was none

	writing sync.RWMutex // held to read while trainings or fits are written, and while it is lent

	patience time.Duration // how long to wait for a process that borrowed the file

	opened func(*classify.Classifier) // called when it is opened, unless it is nil

	opening chan struct{} // holds a token while somebody opens or closes it

	mu     sync.Mutex
	c      *classify.Classifier // nil if it is not open
	failed error                // of the last opening, at
	at     time.Time
	closed bool
	loan   *loan // the last one, nil if there was none
	lent   bool  // to another process, which writes

	holders  int  // requests that use it; while there are any it is not closed to make room
	fitting  bool // one of them fits its models
	queue    []*training
	learning bool           // a goroutine works on the queue
	learners sync.WaitGroup // that goroutine
	auto     *autoCounts    // owned by that goroutine; nil before it has counted
}

func newDatabase(path string, o classify.Options, fits *fitter, log *slog.Logger) *database {
	return &database{path: path, options: o, fits: fits, log: log, opening: make(chan struct{}, 1), patience: patience}
}

// open returns the open database, or nil if it does not exist and create is false.
func (d *database) open(ctx context.Context, create bool) (*classify.Classifier, error) {
	if c := d.current(); c != nil {
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
		return nil, errClosed
	case c != nil:
		return c, nil
	case recent && failed != nil && !missing(failed):
		return nil, failed
	case recent && failed != nil && !create:
		return nil, nil
	}
	o := d.options
	o.Store.MustExist = o.Store.MustExist || !create
	if o.Store.Timeout == 0 {
		o.Store.Timeout = openTimeout
	}
	d.borrow(&o)
	err := d.prepare(ctx, &o, create)
	if err != nil {
		return nil, err
	}
	c, err = classify.Open(d.path, o)
	if err == nil {
		if d.opened != nil {
			d.opened(c)
		}
	}
	d.mu.Lock()
	d.c, d.failed, d.at = c, err, time.Now()
	d.mu.Unlock()
	switch {
	case err == nil:
		d.fits.Add(d)
		return c, nil
	case missing(err) && !create:
		return nil, nil
	}
	d.log.Error("cannot open database", "path", d.path, "error", err)
	return nil, err
}

// missing reports whether an error says that the database does not exist yet.
func missing(err error) bool {
	return errors.Is(err, store.ErrNotExist) || errors.Is(err, store.ErrEmpty)
}

// current returns the open database, or nil.
func (d *database) current() *classify.Classifier {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.c
}

// replaced closes c if it is still open: another file has its path now.
func (d *database) replaced(c *classify.Classifier) {
	if d.let(func(open *classify.Classifier) bool { return open == c }) == nil {
		return
	}
	_ = c.Close() // its error would only say that the file was replaced
	d.log.Warn("database was replaced; it is opened anew", "path", d.path)
}

// reopen closes the database, so that the next question opens it.
func (d *database) reopen() {
	defer d.freed()
	d.opening <- struct{}{}
	defer func() { <-d.opening }()
	if c := d.let(nil); c != nil {
		if err := c.Close(); err != nil {
			d.log.Error("cannot close database", "path", d.path, "error", err)
		}
	}
}

// let removes and returns the open database if which is nil or accepts it, and else returns nil.
func (d *database) let(which func(*classify.Classifier) bool) *classify.Classifier {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.c
	if c == nil || which != nil && !which(c) {
		return nil
	}
	d.c, d.failed = nil, nil
	return c
}

// close waits for the trainings in the queue and closes the database for good.
func (d *database) close() error {
	d.learners.Wait()
	d.opening <- struct{}{}
	defer func() { <-d.opening }()
	c := d.let(nil)
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	if c == nil {
		return nil
	}
	return c.Close()
}
