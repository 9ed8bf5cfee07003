package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine/answer"
	"github.com/polya-classifier/polya/serve/engine/learn"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Learn trains the message as class, or moves it there, or takes back what was learned of it if class is "",
// and returns when that is on disk. If ctx ends before, it may still be done.
func (e *Engine) Learn(ctx context.Context, r backend.Request, class string) (backend.Outcome, error) {
	defer e.use()()
	t := &learn.Training{Class: class}
	err := e.teach(ctx, r.User, class != "", func(c *classify.Classifier) error {
		leave, err := e.lanes.enter(ctx, len(r.Message))
		if err != nil {
			return err
		}
		defer leave()
		t.Doc = answer.Document(c, &r)
		t.Doc.Source = source(r.Source)
		return nil
	}, t)
	switch {
	case class == "" && errors.Is(err, store.ErrNotExist):
		return backend.Unchanged, nil
	case err != nil:
		return "", err // it may still be in progress
	}
	return t.Outcome, nil
}

// of returns the database that learns for a user, who may have none yet. The caller releases it. While too many
// are in use it waits until ctx ends, and then returns backend.ErrBusy.
func (e *Engine) of(ctx context.Context, user string) (d *learn.Database, release func(), err error) {
	if e.isClosed() {
		return nil, nil, learn.ErrClosed
	}
	if user == "" || e.options.Users.Path == "" {
		e.shared.Hold()
		return e.shared, e.shared.Release, nil
	}
	d, release, err = e.users.Acquire(ctx, user, true)
	if d == nil && err == nil {
		err = backend.ErrUser
	}
	return d, release, err
}

// source returns a source as a ledger can keep it, and never AutoSource.
func source(s string) string {
	if s == backend.AutoSource {
		return "people"
	}
	return strings.ToValidUTF8(s[:min(len(s), count.MaxNameBytes)], "")
}

// teach learns trainings of the user's database, which is made if create is set; else the error wraps
// store.ErrNotExist if there is none. prepare, unless it is nil, completes them once it is open.
func (e *Engine) teach(ctx context.Context, user string, create bool, prepare func(*classify.Classifier) error, list ...*learn.Training) error {
	d, release, err := e.of(ctx, user)
	if err != nil {
		return err
	}
	defer release()
	for _, t := range list {
		if t.Class == "" {
			continue
		}
		if t.Class, err = e.mayLearn(ctx, d, t.Class); err != nil {
			return err
		}
	}
	c, err := d.Open(ctx, create)
	if err == nil && c == nil {
		err = store.ErrNotExist
	}
	if err == nil && prepare != nil {
		err = prepare(c)
	}
	if err != nil {
		return err
	}
	for _, t := range list {
		if t.Class != "" {
			e.auto.taught(t.Doc.ID, t.Class)
		}
	}
	return e.trainEach(ctx, d, list)
}

// named returns the name of class in a database, and the classes that it says: where that has tags,
// the set of those with commas between, and these. d is open, or new.
func named(d *learn.Database, class string) (name string, each []string, err error) {
	if c := d.Current(); c == nil || !c.Store().Tags() {
		return class, []string{class}, nil
	}
	if name = class; count.Tags(class) == nil {
		name, err = count.TagSet(backend.Tags(class)...)
	}
	return name, count.Tags(name), err
}

// mayLearn returns the name of class in the database. It returns backend.ErrClass unless each class
// that it says is one of the Options, of the database or of the shared one, or was allowed by Make.
func (e *Engine) mayLearn(ctx context.Context, d *learn.Database, class string) (name string, err error) {
	known, err := e.known(ctx, d)
	if err != nil {
		return "", err
	}
	name, each, err := named(d, class)
	if err != nil {
		return "", err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, one := range each {
		if !slices.Contains(known, one) && !e.made[[2]string{d.Path, one}] {
			return "", backend.ErrClass
		}
	}
	return name, nil
}

// Classes lists the classes that may be learned, sorted: from the Options, the shared
// database and the user's.
func (e *Engine) Classes(ctx context.Context, user string) ([]string, error) {
	defer e.use()()
	if e.isClosed() {
		return nil, learn.ErrClosed
	}
	d, release, err := e.users.Acquire(ctx, user, false)
	if err != nil {
		return nil, err
	}
	defer release()
	return e.known(ctx, d)
}

// known lists the classes of the Options, of the shared database and of d, which may be nil, sorted.
func (e *Engine) known(ctx context.Context, d *learn.Database) ([]string, error) {
	names := slices.Concat(e.options.Spam, e.options.Classes)
	for _, one := range []*learn.Database{e.shared, d} {
		if one == nil {
			continue
		}
		some, err := one.Classes(ctx)
		if err != nil {
			return nil, err
		}
		names = append(names, some...)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// trainEach learns trainings in their order, a batch at a time, so that others are learned in
// between. It stops after the batch in which one failed; some may be in progress when ctx ends.
func (e *Engine) trainEach(ctx context.Context, d *learn.Database, list []*learn.Training) error {
	for batch := range slices.Chunk(list, learn.MaxBatch) {
		err := ctx.Err()
		for i, t := range batch {
			if err == nil {
				err = e.submit(d, t)
			}
			if err != nil {
				batch = batch[:i]
				break
			}
		}
		for _, t := range batch {
			err = cmp.Or(err, t.Wait(ctx))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// submit puts t in the queue of d, which stays open until t is learned.
func (e *Engine) submit(d *learn.Database, t *learn.Training) error {
	if e.waiting.Add(1) > busy {
		e.waiting.Add(-1)
		return backend.ErrBusy
	}
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		e.waiting.Add(-1)
		return learn.ErrClosed
	}
	e.calls.Add(1)
	e.mu.Unlock()
	d.Learn(t, func() {
		e.waiting.Add(-1)
		e.calls.Done()
	})
	return nil
}
