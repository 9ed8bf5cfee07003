package users

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine/learn"
)

const (
	// overtaking is how long a request may wait for room while others still use databases
	// that are already open. After that all others wait behind it, so that room becomes
	// free.
	overtaking = 50 * time.Millisecond

	// maxWaiters is the number of requests that wait for room at a time.
	maxWaiters = 10_000
)

// New returns the databases of users that are added to base and opened with the same options.
func New(o Options, base *learn.Database, each learn.Options) *Pool {
	o.MaxOpen = cmp.Or(max(o.MaxOpen, 0), 50)
	p := &Pool{users: o, pattern: regexp.MustCompile("^(?:" + o.Pattern + ")$"), base: base, each: each, known: make(map[string]*learn.Database)}
	p.each.Base, p.each.Freed, p.each.Unreserved = base, p.admit, p.shrink
	return p
}

// Acquire returns the database of a user, which stays open until it is released, or nil if
// he has none and, with create, may have none. While all of the databases that may be open
// are in use it waits, and returns backend.ErrBusy when ctx ends.
func (p *Pool) Acquire(ctx context.Context, user string, create bool) (*learn.Database, error) {
	name, path, has := p.place(user, create)
	if !has {
		return nil, nil
	}
	p.mu.Lock()
	d := p.database(name, path)
	first := len(p.waiting) == 0
	if (first || slices.Contains(p.open, d) && time.Since(p.waiting[0].since) < overtaking) && p.makeRoom(d) {
		d.Hold()
		p.mu.Unlock()
		return d, nil
	}
	if len(p.waiting) >= maxWaiters {
		p.mu.Unlock()
		return nil, backend.ErrBusy
	}
	w := &waiter{d, time.Now(), make(chan struct{})}
	p.waiting = append(p.waiting, w)
	p.mu.Unlock()
	select {
	case <-w.room:
		return d, nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at := slices.Index(p.waiting, w)
	if at < 0 {
		return d, nil // room came at the same time
	}
	p.waiting = slices.Delete(p.waiting, at, at+1)
	return nil, backend.ErrBusy
}

// database returns the database of a name; the caller holds p.mu.
func (p *Pool) database(name, path string) *learn.Database {
	d := p.known[name]
	if d == nil {
		each := p.each
		each.User = name
		d = learn.New(path, each)
		p.known[name] = d
	}
	return d
}

// Reserve returns the database of a user, whoever may have one, for a log that changes it, or nil if
// user is not a name that a log gives. The caller ends it by Unreserve. It may be open
// beyond the number of others: trainings that hold these wait for the log.
func (p *Pool) Reserve(user string) *learn.Database {
	name, path := p.path(user)
	if name == "" || name != user {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.database(name, path)
	d.Reserve()
	if !slices.Contains(p.open, d) {
		p.open = append(p.open, d)
	}
	return d
}

// admit gives room to those who wait, in the order in which they came.
func (p *Pool) admit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.waiting) > 0 && p.makeRoom(p.waiting[0].d) {
		d := p.waiting[0].d
		p.waiting = slices.DeleteFunc(p.waiting, func(w *waiter) bool {
			if w.d != d {
				return false
			}
			d.Hold()
			close(w.room)
			return true
		})
	}
}

// makeRoom makes d the most recently used database, and closes another if there would be
// too many. It returns false if all are in use.
func (p *Pool) makeRoom(d *learn.Database) bool {
	if at := slices.Index(p.open, d); at >= 0 {
		p.open = append(slices.Delete(p.open, at, at+1), d)
		return true
	}
	most := p.users.MaxOpen
	for _, open := range p.open {
		if open.OnlyReserved() {
			most++ // nobody waits because of it
		}
	}
	if !p.closeTo(most - 1) {
		return false
	}
	p.open = append(p.open, d)
	return true
}

// closeTo closes unused databases, the least recently used first, until n are open, and
// reports whether it could.
func (p *Pool) closeTo(n int) bool {
	for len(p.open) > n {
		at := slices.IndexFunc(p.open, (*learn.Database).CloseIdle)
		if at < 0 {
			return false
		}
		p.open = slices.Delete(p.open, at, at+1)
	}
	return true
}

// shrink closes the database that was open beyond MaxOpen while another was reserved.
func (p *Pool) shrink() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closeTo(p.users.MaxOpen)
}
