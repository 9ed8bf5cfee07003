package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/setting"
	"github.com/polya-classifier/polya/serve/decisions"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// errClosed is returned by calls after Close.
var errClosed = errors.New("the daemon is stopping")

// An Engine answers and learns; it is a backend.Backend. Close ends it.
type Engine struct {
	options Options
	log     *slog.Logger
	shared  *database
	users   *pool
	ring    *decisions.Ring // nil if none is kept
	auto    *auto           // nil if nothing is learned automatically
	fits    *fitter

	waiting, asking atomic.Int64 // trainings and questions in progress
	lanes           lanes
	withoutRoom     atomic.Uint64 // answers to users whose databases had no room

	mu     sync.Mutex
	closed bool
	calls  sync.WaitGroup // trainings accepted
}

// New returns an Engine. It opens no database yet: requests and Ready return the errors
// of opening one.
func New(o Options) (*Engine, error) {
	if o.Path == "" {
		return nil, errors.New("no path of a database")
	}
	if err := o.checkPublisher(); err != nil {
		return nil, err
	}
	if o.Spam == nil {
		o.Spam = []string{"spam"}
	}
	if o.Classes == nil {
		o.Classes = []string{"ham"}
	}
	for _, name := range slices.Concat(o.Spam, o.Classes) {
		if err := count.CheckClass(name); err != nil {
			return nil, fmt.Errorf("class %q: %w", name, err)
		}
	}
	opened := o.Classify // whose databases decide by their settings, unless there is a Decision
	if o.Classify.Decision == nil && len(o.Spam) == 1 {
		opened.Settings = setting.Values{setting.Is: o.Spam[0]}
		maps.Copy(opened.Settings, o.Classify.Settings)
		var err error
		if o.Classify.Decision, _, err = opened.Settings.Decide(); err != nil {
			return nil, err
		}
	}
	o.Classify.Fitting, opened.Fitting = classify.FitByHand, classify.FitByHand
	o.MaxMessage = positive(o.MaxMessage, 64<<20)
	o.MaxWaiting = positive(o.MaxWaiting, 1000)
	o.MaxAnswers = positive(o.MaxAnswers, 1000)
	if o.FitAfter <= 0 {
		o.FitAfter = time.Second
	}
	e := &Engine{options: o, log: o.Log, lanes: newLanes()}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	e.fits = newFitter(o.FitAfter, e.log)
	e.shared = newDatabase(o.Path, opened, e.fits, e.log)
	e.shared.publisher = o.Publisher
	e.users = newPool(o.Users, opened, e.shared, e.fits, e.log)
	if o.Auto != nil {
		e.auto = newAuto(*o.Auto)
		e.shared.opened = e.auto.opened
	}
	if o.Decisions != nil {
		kept := *o.Decisions
		if kept.Log == nil {
			kept.Log = e.log
		}
		e.ring = decisions.Open(o.Path+".decisions", kept)
	}
	return e, nil
}

func positive(n, byDefault int) int {
	if n > 0 {
		return n
	}
	return byDefault
}

// Close refuses new requests, finishes the trainings in progress, stops a running fit and
// closes the databases.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.calls.Wait()
	if e.auto != nil {
		e.auto.saving.Wait()
	}
	e.fits.Close()
	var errs []error
	for _, d := range append(e.users.all(), e.shared) {
		errs = append(errs, d.close())
	}
	e.users.closing.Wait()
	if e.ring != nil {
		e.ring.Close()
	}
	return errors.Join(errs...)
}

// Ready opens the shared database and returns why it cannot answer; a database that does
// not exist yet is no error.
func (e *Engine) Ready(ctx context.Context) error {
	if e.isClosed() {
		return errClosed
	}
	_, err := e.shared.open(ctx, false)
	return err
}

// WithoutRoom returns the number of answers to users with databases of their own that came from
// the shared one alone, because too many databases were in use.
func (e *Engine) WithoutRoom() uint64 { return e.withoutRoom.Load() }

func (e *Engine) isClosed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closed
}

// Reopen reopens the databases, so that files that were replaced are used. New questions
// wait for it; trainings in progress are finished before.
func (e *Engine) Reopen(ctx context.Context) error {
	for _, d := range append(e.users.all(), e.shared) {
		d.reopen()
	}
	return e.Ready(ctx)
}

// Use calls f with the open database of a user, the shared one if user is "", for what a
// Backend does not do: statistics, the ledger, a backup. It stays open until f returns. The
// error is backend.ErrUser if there is no such user, and wraps store.ErrNotExist if there
// is no database yet. Trainings made by f bypass the queue, unlike trainings made through
// Change.
func (e *Engine) Use(ctx context.Context, user string, f func(*classify.Classifier) error) error {
	if e.isClosed() {
		return errClosed
	}
	d, err := e.of(ctx, user)
	if err != nil {
		return err
	}
	defer d.release()
	c, err := d.open(ctx, false)
	switch {
	case err != nil:
		return err
	case c == nil:
		return fmt.Errorf("%s: %w", d.path, store.ErrNotExist)
	}
	return f(c)
}

// Change is Use with f queued as a training of the database: no other is learned
// meanwhile. If ctx ends before f is called, f may still be called later, with nobody
// waiting for it. For a database that follows a log the error wraps store.ErrFollows.
func (e *Engine) Change(ctx context.Context, user string, f func(*classify.Classifier) error) error {
	d, err := e.of(ctx, user)
	if err != nil {
		return err
	}
	defer d.release()
	if d.follows() {
		return fmt.Errorf("%s: %w", d.path, store.ErrFollows)
	}
	_, err = e.train(ctx, d, &training{do: f})
	return err
}
