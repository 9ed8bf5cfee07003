package engine

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// fitShare is how many times as long as a fit took there is no other: fits take a tenth
// of a processor at most.
const fitShare = 10

// fitter fits the models of databases that have learned something, one after the other.
type fitter struct {
	after time.Duration
	log   *slog.Logger
	ctx   context.Context
	end   context.CancelFunc
	ended sync.WaitGroup

	sample sample // of the shared database

	mu      sync.Mutex
	waiting map[*database]time.Time // no fit before
	running bool
	rested  time.Time // no fit of any before
}

func newFitter(after time.Duration, log *slog.Logger) *fitter {
	f := &fitter{after: after, log: log, waiting: make(map[*database]time.Time)}
	f.ctx, f.end = context.WithCancel(context.Background())
	return f
}

// due has d fitted when that suits.
func (f *fitter) due(d *database) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, waits := f.waiting[d]; !waits {
		f.waiting[d] = time.Now().Add(f.after)
	}
	if !f.running && f.ctx.Err() == nil {
		f.running = true
		f.ended.Add(1)
		go f.work()
	}
}

// work fits what waits until there is nothing.
func (f *fitter) work() {
	defer f.ended.Done()
	for {
		d, wait := f.next()
		switch {
		case wait > 0:
			select {
			case <-time.After(wait):
			case <-f.ctx.Done():
			}
		case d == nil:
			return
		default:
			f.fit(d)
		}
	}
}

// next returns the database that waits for the longest time, or how long it is until a
// fit may begin. If it returns neither, the goroutine is to end.
func (f *fitter) next() (*database, time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var first *database
	for d, due := range f.waiting {
		if first == nil || due.Before(f.waiting[first]) {
			first = d
		}
	}
	if first == nil || f.ctx.Err() != nil {
		f.running = false
		return nil, 0
	}
	if wait := max(time.Until(f.rested), time.Until(f.waiting[first])); wait > 0 {
		return nil, wait
	}
	delete(f.waiting, first)
	return first, 0
}

// fit fits and calibrates d where that is due.
func (f *fitter) fit(d *database) {
	start := time.Now()
	if !d.writing.TryRLock() {
		return // it is lent; there is another fit afterwards
	}
	defer d.writing.RUnlock()
	if !d.reserve() {
		f.due(d)
		return
	}
	defer d.fitted()
	c := d.current()
	if c == nil && d.unblended.Load() {
		c, _ = d.open(f.ctx, false) // what is wrong is in the log
	}
	if c == nil {
		return
	}
	err := c.Refit(f.ctx)
	if err == nil {
		err = d.blend(f.ctx, c)
	}
	took := time.Since(start)
	f.mu.Lock()
	if now := time.Now(); f.rested.Before(now) {
		f.rested = now
	}
	f.rested = f.rested.Add(fitShare * took)
	f.mu.Unlock()
	if err != nil && f.ctx.Err() == nil {
		f.log.Warn("cannot fit models", "path", d.path, "error", err)
	}
}

// close ends a fit under way and begins no other.
func (f *fitter) close() {
	f.mu.Lock()
	f.end()
	f.mu.Unlock()
	f.ended.Wait()
}
