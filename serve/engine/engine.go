package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/internal/background"
	"github.com/polya-classifier/polya/serve/decisions"
	"github.com/polya-classifier/polya/serve/engine/answer"
	"github.com/polya-classifier/polya/serve/engine/learn"
	"github.com/polya-classifier/polya/serve/engine/users"
	"github.com/polya-classifier/polya/store/count"
)

// An Engine answers and learns; it is a backend.Backend. Close ends it.
type Engine struct {
	waiting, asking atomic.Int64 // trainings and questions in progress
	lanes           lanes
	patience        time.Duration  // of Reconfigure, for a moment without requests
	calls           sync.WaitGroup // trainings accepted

	// using is held for reading by all requests while Reconfigure replaces what follows, which also
	// holds mu then. What applies a log holds only mu: trainings wait for it, and Reconfigure for these.
	using  sync.RWMutex
	mu     sync.Mutex
	closed bool               // nothing new is accepted
	ended  bool               // the databases are closed or being closed
	made   map[[2]string]bool // path of a database, and a class that it may learn anew

	options Options
	answers *answer.Options
	shared  *learn.Database
	users   *users.Pool
	ring    *decisions.Ring // nil if none is kept
	auto    *auto           // nil if nothing is learned automatically
	fits    *background.Queue[*learn.Database]
}

// New returns an Engine, which opens no database yet: requests return the errors of that.
func New(o Options) (*Engine, error) {
	e := &Engine{lanes: newLanes(), patience: 30 * time.Second}
	opened, err := o.complete()
	if err != nil {
		return nil, err
	}
	e.set(o, opened)
	return e, nil
}

// Reconfigure closes the databases and goes on with other options. Requests wait meanwhile. Options
// that are wrong change nothing.
func (e *Engine) Reconfigure(o Options) error {
	opened, err := o.complete()
	if err != nil {
		return err
	}
	// Answers do not wait for what takes long, as a backup, unless requests leave no pause.
	for start := time.Now(); !e.using.TryLock(); time.Sleep(time.Millisecond) {
		if time.Since(start) > e.patience {
			e.using.Lock()
			break
		}
	}
	defer e.using.Unlock()
	if err := e.Close(); err != nil {
		e.options.Log.Error("cannot close databases", "error", err)
	}
	e.set(o, opened)
	return nil
}

// use keeps the options from being replaced until done is called.
func (e *Engine) use() (done func()) {
	e.using.RLock()
	return e.using.RUnlock
}

// set begins with options, and those to open databases with.
func (e *Engine) set(o Options, opened classify.Options) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed, e.ended, e.made = false, false, make(map[[2]string]bool)
	e.options, e.auto, e.ring, e.fits = o, nil, nil, learn.NewFits(o.FitAfter, o.Log)
	e.answers = &answer.Options{
		Spam: o.Spam, Classes: o.Classes, Decision: o.Classify.Decision, Abstain: o.Classify.Threshold,
	}
	opened.Holds = classify.Either
	each := learn.Options{Classify: opened, Fits: e.fits, Log: o.Log, Publisher: o.Publisher}
	shared := each
	if o.Auto != nil {
		e.auto = newAuto(*o.Auto, o.Log)
		each.Watch, shared.Watch, shared.Opened = e.auto.watch, e.auto.watch, e.auto.opened
	}
	e.shared = learn.New(o.Path, shared)
	if e.auto != nil {
		e.auto.shared = e.shared
	}
	e.users = users.New(o.Users, e.shared, each)
	if o.Decisions != nil {
		kept := *o.Decisions
		kept.Log = cmp.Or(kept.Log, o.Log)
		e.ring = decisions.Open(o.Path+".decisions", kept)
	}
}

// Close refuses new requests, finishes trainings, stops a running fit and closes the databases.
func (e *Engine) Close() (err error) {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.calls.Wait()
	if e.auto != nil {
		e.auto.saving.Wait()
	}
	e.fits.Close()
	e.mu.Lock()
	e.ended = true // what applies a log, for which trainings have waited, makes no more databases
	all := append(e.users.All(), e.shared)
	e.mu.Unlock()
	for _, d := range all {
		err = errors.Join(err, d.Close())
	}
	if e.ring != nil {
		e.ring.Close()
	}
	return err
}

// Ready opens the shared database and returns why it cannot answer, or has not caught up with the
// log yet; a database that does not exist yet is no error.
func (e *Engine) Ready(ctx context.Context) error {
	defer e.use()()
	if _, err := e.shared.Open(ctx, false); err != nil || e.options.Publisher == nil {
		return err
	}
	return e.options.Publisher.Ready()
}

// AutoState returns how automatic learning is doing.
func (e *Engine) AutoState() AutoState {
	defer e.use()()
	return e.auto.state()
}

// ResumeAuto restarts automatic learning after it has stopped by itself. Later answers
// are compared with the next ones.
func (e *Engine) ResumeAuto(ctx context.Context) error {
	defer e.use()()
	return e.auto.resume(ctx)
}

// Configured lists the classes that the Options name.
func (e *Engine) Configured() []string {
	defer e.use()()
	return slices.Concat(e.options.Spam, e.options.Classes)
}

// Untaught says which missing training makes all answers of the shared database unsure, if one does.
func (e *Engine) Untaught(ctx context.Context) (why string, err error) {
	defer e.use()()
	var classes []*count.Class
	c, err := e.shared.Open(ctx, false)
	if c != nil {
		classes, err = c.Classes()
	}
	if err != nil {
		return "", err
	}
	return e.answers.Missing(classes), nil
}

func (e *Engine) isClosed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closed
}

// Reopen reopens the databases, so that files that were replaced are used. New questions
// wait for it; trainings in progress are finished before.
func (e *Engine) Reopen(ctx context.Context) error {
	defer e.use()()
	for _, d := range append(e.users.All(), e.shared) {
		d.Reopen()
	}
	_, err := e.shared.Open(ctx, false)
	return err
}

// maxUser is the number of bytes kept of a user's name.
const maxUser = 255

func (e *Engine) userName(user string) string {
	if user != "" {
		user = e.users.Name(user)
	}
	return strings.ToValidUTF8(user[:min(len(user), maxUser)], "\uFFFD") // as the file of decisions has it
}
