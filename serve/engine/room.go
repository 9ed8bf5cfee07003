package engine

import (
	"context"
	"slices"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
)

const (
	// overtaking is how long a request may wait for room while others still use databases
	// that are already open. After that all others wait behind it, so that room becomes
	// free.
	overtaking = 50 * time.Millisecond

	// maxWaiters is the number of requests that wait for room at a time.
	maxWaiters = 10_000
)

// waiter is a request that waits until its database may be open.
type waiter struct {
	d     *database
	since time.Time
	room  chan struct{} // closed when d is held for it
}

// enter waits for room and holds the database of that name.
func (p *pool) enter(ctx context.Context, name, path string) (*database, error) {
	p.mu.Lock()
	d := p.known[name]
	if d == nil {
		d = newDatabase(path, p.options, p.fits, p.log)
		d.base, d.pool = p.base, p
		p.known[name] = d
	}
	first := len(p.waiting) == 0
	if (first || slices.Contains(p.open, d) && time.Since(p.waiting[0].since) < overtaking) && p.makeRoom(d) {
		d.hold()
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

// admit gives room to those who wait, in the order in which they came.
func (p *pool) admit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.waiting) > 0 && p.makeRoom(p.waiting[0].d) {
		d := p.waiting[0].d
		p.waiting = slices.DeleteFunc(p.waiting, func(w *waiter) bool {
			if w.d != d {
				return false
			}
			d.hold()
			close(w.room)
			return true
		})
	}
}

// makeRoom makes d the most recently used database, and closes another if there would be
// too many. It returns false if all are in use.
func (p *pool) makeRoom(d *database) bool {
	if at := slices.Index(p.open, d); at >= 0 {
		p.open = append(slices.Delete(p.open, at, at+1), d)
		return true
	}
	most := p.users.MaxOpen
	for _, open := range p.open {
		if open.onlyFitted() {
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
func (p *pool) closeTo(n int) bool {
	for len(p.open) > n {
		at := slices.IndexFunc(p.open, p.closeIdle)
		if at < 0 {
			return false
		}
		p.open = slices.Delete(p.open, at, at+1)
	}
	return true
}

// closeIdle begins to close a database unless it is in use, and reports whether it did.
// Opening it again waits until it is closed.
func (p *pool) closeIdle(d *database) bool {
	select {
	case d.opening <- struct{}{}:
	default:
		return false
	}
	d.mu.Lock()
	idle, c := d.holders == 0, d.c
	if idle {
		d.c, d.failed = nil, nil
	}
	d.mu.Unlock()
	if !idle || c == nil {
		<-d.opening
		return idle
	}
	p.closing.Go(func() {
		defer d.freed() // it may be in the list again, and could not be closed till now
		defer func() { <-d.opening }()
		if err := c.Close(); err != nil {
			d.log.Error("cannot close database", "path", d.path, "error", err)
		}
	})
	return true
}

// reserve keeps d open while its models are fitted.
func (d *database) reserve() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fitting = true
	d.holders++
}

// fitted ends what reserve began.
func (d *database) fitted() {
	d.mu.Lock()
	d.fitting = false
	d.mu.Unlock()
	d.release()
	if p := d.pool; p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.closeTo(p.users.MaxOpen) // one more was open meanwhile
	}
}

// hold keeps d open until it is released.
func (d *database) hold() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.holders++
}

func (d *database) release() {
	d.mu.Lock()
	d.holders--
	d.mu.Unlock()
	d.freed()
}

// freed has waiting requests check whether d leaves room.
func (d *database) freed() {
	if d.pool != nil {
		d.pool.admit()
	}
}

// onlyFitted reports whether only the fitter uses the database.
func (d *database) onlyFitted() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.fitting && d.holders == 1
}
