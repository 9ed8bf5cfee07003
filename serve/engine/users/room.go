package users

import (
	"cmp"
	"context"
	"regexp"
	"slices"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine/learn"
)

// New returns the databases of users that are added to base and opened with the same options.
func New(o Options, base *learn.Database, each learn.Options) *Pool {
	o.MaxOpen = cmp.Or(max(o.MaxOpen, 0), 50)
	each.Base = base
	return &Pool{
		users: o, pattern: regexp.MustCompile("^(?:" + o.Pattern + ")$"), base: base, each: each,
		requests: make(chan struct{}, o.MaxOpen), known: make(map[string]*learn.Database),
	}
}

// Acquire returns the database of a user, which stays open until release is called, or nil if
// he has none and, with create, may have none. As many requests have one at a time as databases may
// be open. Another waits, behind those that came before it, and gets backend.ErrBusy when ctx ends.
func (p *Pool) Acquire(ctx context.Context, user string, create bool) (d *learn.Database, release func(), err error) {
	name, path, has := p.place(user, create)
	if !has {
		return nil, func() {}, nil
	}
	select {
	case p.requests <- struct{}{}:
	case <-ctx.Done():
		return nil, func() {}, backend.ErrBusy
	}
	d = p.hold(name, path)
	return d, func() { d.Release(); <-p.requests }, nil
}

// Reserve returns the database of a user, whoever may have one, for a log that changes it, or nil if
// user is not a name that a log gives. The caller releases it. It may be open
// beyond the number of others: trainings that hold these wait for the log.
func (p *Pool) Reserve(user string) *learn.Database {
	name, path := p.path(user)
	if name == "" || name != user {
		return nil
	}
	return p.hold(name, path)
}

// hold makes the database of a name the most recently used one, and closes others that nobody
// uses, the least recently used first, if there would be too many.
func (p *Pool) hold(name, path string) *learn.Database {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.known[name]
	if d == nil {
		each := p.each
		each.User = name
		d = learn.New(path, each)
		p.known[name] = d
	}
	d.Hold()
	p.open = append(slices.DeleteFunc(p.open, func(open *learn.Database) bool { return open == d }), d)
	for len(p.open) > p.users.MaxOpen {
		at := slices.IndexFunc(p.open, (*learn.Database).CloseIdle)
		if at < 0 {
			break
		}
		p.open = slices.Delete(p.open, at, at+1)
	}
	return d
}
