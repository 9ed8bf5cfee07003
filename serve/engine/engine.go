package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/decisions"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Options say what an Engine works on. Path is needed; the zero value of the rest is
// what suits a mail server with two classes.
type Options struct {
	// Path is the path of the shared database.
	Path string

	// Classify says how databases are opened: analyzer, model, decision, ledger. With
	// one Spam class and no Decision that is decision.Filter for this class.
	// RefitByHand is set by the Engine.
	Classify classify.Options

	// Users have databases of their own.
	Users Users

	// Decisions says how much is kept of the last answers, in a file named like the
	// database with .decisions at its end; nil keeps nothing.
	Decisions *decisions.Options

	// Auto has the Engine learn those of its answers that are sure; nil does not.
	Auto *Auto

	// Spam are the classes for which Answer.Spam and Score are; nil is "spam", and an
	// empty list none.
	Spam []string

	// NoThreshold leaves out Answer.Threshold, unless there is Auto. To know it takes reading the whole
	// calibration, which takes longer than one answer.
	NoThreshold bool

	// Classes may be learned beside those that a database has; nil is "ham".
	// Those of Spam always may.
	Classes []string

	// MaxMessage is the size in bytes beyond which a message is backend.ErrSize; 0 is
	// 64 MiB.
	MaxMessage int

	// MaxWaiting is the number of trainings that wait at a time, and MaxAnswers that of
	// questions in hand; what is beyond is backend.ErrBusy at once. 0 is 1,000.
	MaxWaiting, MaxAnswers int

	// FitAfter is how long after a training models are fitted, so that the next
	// trainings are fitted with it; 0 is a second. After a fit there is none for ten
	// times as long as it took.
	FitAfter time.Duration

	// Log is told what an administrator should know; nil is nobody. It is never told
	// what is in a message.
	Log *slog.Logger
}

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

	waiting, asking atomic.Int64 // trainings and questions in hand

	mu     sync.Mutex
	closed bool
	calls  sync.WaitGroup // trainings accepted
}

// New returns an Engine. It opens no database yet: what is wrong with one is the error of
// what is asked of it, and of Ready.
func New(o Options) (*Engine, error) {
	if o.Path == "" {
		return nil, errors.New("no path of a database")
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
	if o.Classify.Decision == nil && len(o.Spam) == 1 {
		o.Classify.Decision = decision.Filter{Positive: o.Spam[0]}
	}
	o.Classify.RefitByHand = true
	o.MaxMessage = positive(o.MaxMessage, 64<<20)
	o.MaxWaiting = positive(o.MaxWaiting, 1000)
	o.MaxAnswers = positive(o.MaxAnswers, 1000)
	if o.FitAfter <= 0 {
		o.FitAfter = time.Second
	}
	e := &Engine{options: o, log: o.Log}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	e.fits = newFitter(o.FitAfter, e.log)
	e.shared = newDatabase(o.Path, o.Classify, e.fits, e.log)
	e.users = newPool(o.Users, o.Classify, e.shared, e.fits, e.log)
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

// Close refuses what comes, finishes the trainings in hand, ends a fit under way and
// closes the databases.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.calls.Wait()
	if e.auto != nil {
		e.auto.saving.Wait()
	}
	e.fits.close()
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

// Ready opens the shared database and returns why it cannot answer; a database that is
// not made yet is no error.
func (e *Engine) Ready(ctx context.Context) error {
	if e.isClosed() {
		return errClosed
	}
	_, err := e.shared.open(ctx, false)
	return err
}

func (e *Engine) isClosed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closed
}

// accept returns why a request is refused before it is looked at.
func (e *Engine) accept(r *backend.Request) error {
	switch {
	case e.isClosed():
		return errClosed
	case len(r.Message) > e.options.MaxMessage:
		return backend.ErrSize
	}
	return nil
}

// of returns the database that learns for a user, who may have none yet. It is to be
// released.
func (e *Engine) of(user string) (*database, error) {
	if user == "" || e.options.Users.Path == "" {
		e.shared.hold()
		return e.shared, nil
	}
	d, err := e.users.acquire(user, true)
	if d == nil && err == nil {
		err = backend.ErrUser
	}
	return d, err
}

// Classify answers for a message. Of a database that has learned nothing, or nothing of
// a class that its decision needs, the answer is unsure. A user without a database of his
// own, or with one that cannot be opened, has the answer of the shared one.
func (e *Engine) Classify(ctx context.Context, r backend.Request, explain bool) (backend.Answer, error) {
	if err := e.accept(&r); err != nil {
		return backend.Answer{}, err
	}
	if e.asking.Add(1) > int64(e.options.MaxAnswers) {
		e.asking.Add(-1)
		return backend.Answer{}, backend.ErrBusy
	}
	defer e.asking.Add(-1)
	d, err := e.users.acquire(r.User, false)
	if err != nil {
		return backend.Answer{}, err
	}
	if d != nil {
		defer d.release()
	}
	a, err := e.classify(ctx, d, &r, explain)
	if errors.Is(err, store.ErrClosed) && !e.isClosed() {
		a, err = e.classify(ctx, d, &r, explain) // it was opened anew meanwhile
	}
	if err != nil {
		return backend.Answer{}, err
	}
	if a.doc.Bag != nil {
		e.remember(&r, &a)
	}
	if a.posterior != nil {
		e.answered(&r, &a)
	}
	return a.Answer, nil
}

// classify answers from the shared database and that of a user, who may have none.
func (e *Engine) classify(ctx context.Context, d *database, r *backend.Request, explain bool) (reply, error) {
	if err := ctx.Err(); err != nil {
		return reply{}, err
	}
	p := pair{}
	var err error
	if p.base, err = e.shared.open(ctx, false); err != nil {
		return reply{}, err
	}
	if d != nil {
		p.own, _ = d.open(ctx, false) // what is wrong is in the log
	}
	if p.own == nil {
		return e.answer(ctx, p.base, r, explain)
	}
	p.weights = *d.weights.Load()
	if p.base != nil {
		classes, err := p.base.Classes()
		if err != nil {
			return reply{}, err
		}
		if e.lacks(classes) {
			p.base = nil
		}
	}
	if p.base != nil && p.weights.Own == 0 && len(p.weights.Bias) == 0 {
		return e.answer(ctx, p.base, r, explain)
	}
	return e.blended(ctx, p, r, explain)
}

// Reopen opens the databases anew, so that those are asked that have their paths now.
// Questions that come meanwhile wait for it; trainings in hand are finished before.
func (e *Engine) Reopen(ctx context.Context) error {
	for _, d := range append(e.users.all(), e.shared) {
		d.reopen()
	}
	return e.Ready(ctx)
}

// Learn trains the message as class, or moves it there, and returns when that is on the
// disk. If ctx ends before, the message may be learned nevertheless.
func (e *Engine) Learn(ctx context.Context, r backend.Request, class string) (backend.Outcome, error) {
	if err := e.accept(&r); err != nil {
		return 0, err
	}
	d, err := e.of(r.User)
	if err != nil {
		return 0, err
	}
	defer d.release()
	if err := e.mayLearn(ctx, d, class); err != nil {
		return 0, err
	}
	c, err := d.open(ctx, true)
	if err != nil {
		return 0, err
	}
	doc := mail.Document(c, r.Message)
	e.taught(doc.ID, class)
	doc.Source = source(r.Source)
	return e.train(ctx, d, &training{doc: doc, class: class, watch: e.watch()})
}

// source returns a source as a ledger can keep it, and never that of what was learned
// automatically.
func source(s string) string {
	if s == AutoSource {
		return "people"
	}
	return s[:min(len(s), count.MaxNameBytes)]
}

// mayLearn returns backend.ErrClass unless the class is one of the Options or of the
// database.
func (e *Engine) mayLearn(ctx context.Context, d *database, class string) error {
	if slices.Contains(e.options.Spam, class) || slices.Contains(e.options.Classes, class) {
		return nil
	}
	for _, of := range []*database{d, e.shared} {
		some, err := of.classes(ctx)
		if err != nil {
			return err
		}
		if slices.Contains(some, class) {
			return nil
		}
	}
	return backend.ErrClass
}

// classes returns the names of the classes of a database, which may not be there.
func (d *database) classes(ctx context.Context) (names []string, err error) {
	c, err := d.open(ctx, false)
	if c == nil || err != nil {
		return nil, err
	}
	classes, err := c.Classes()
	for _, class := range classes {
		names = append(names, class.Name)
	}
	return names, err
}

// Forget takes back what was learned of the message, of whatever class, and returns when
// that is on the disk.
func (e *Engine) Forget(ctx context.Context, r backend.Request) (backend.Outcome, error) {
	if err := e.accept(&r); err != nil {
		return 0, err
	}
	d, err := e.of(r.User)
	if err != nil {
		return 0, err
	}
	defer d.release()
	c, err := d.open(ctx, false)
	if c == nil || err != nil {
		return backend.Unchanged, err
	}
	return e.train(ctx, d, &training{doc: mail.Document(c, r.Message)})
}

// train has t learned and waits for it.
func (e *Engine) train(ctx context.Context, d *database, t *training) (backend.Outcome, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := e.submit(d, t); err != nil {
		return 0, err
	}
	return t.wait(ctx)
}

// submit puts t in the queue of d, which stays open until t is learned.
func (e *Engine) submit(d *database, t *training) error {
	if e.waiting.Add(1) > int64(e.options.MaxWaiting) {
		e.waiting.Add(-1)
		return backend.ErrBusy
	}
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		e.waiting.Add(-1)
		return errClosed
	}
	e.calls.Add(1)
	e.mu.Unlock()
	d.hold()
	t.done = make(chan struct{})
	t.finished = func() {
		d.release()
		e.waiting.Add(-1)
		e.calls.Done()
		close(t.done)
	}
	d.learn(t)
	return nil
}

// wait waits until t was learned.
func (t *training) wait(ctx context.Context) (backend.Outcome, error) {
	select {
	case <-t.done:
		return t.outcome, t.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// Classes lists the classes that may be learned: those of the Options, of the shared
// database and of the user's, sorted.
func (e *Engine) Classes(ctx context.Context, user string) ([]string, error) {
	if e.isClosed() {
		return nil, errClosed
	}
	names := slices.Concat(e.options.Spam, e.options.Classes)
	d, err := e.users.acquire(user, false)
	if err != nil {
		return nil, err
	}
	all := []*database{e.shared}
	if d != nil {
		defer d.release()
		all = append(all, d)
	}
	for _, d := range all {
		some, err := d.classes(ctx)
		if err != nil {
			return nil, err
		}
		names = append(names, some...)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// Use calls f with the open database of a user, the shared one if user is "", for what a
// Backend does not do: statistics, the ledger, a backup. It stays open until f returns. The
// error is backend.ErrUser if there is no such user, and wraps store.ErrNotExist if there
// is no database yet. Trainings by way of f are not in the queue of others.
func (e *Engine) Use(ctx context.Context, user string, f func(*classify.Classifier) error) error {
	if e.isClosed() {
		return errClosed
	}
	d, err := e.of(user)
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
