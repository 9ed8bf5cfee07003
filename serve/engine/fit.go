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

	mu      sync.Mutex
	waiting map[*database]bool
	running bool
	rested  time.Time // no fit before
}

func newFitter(after time.Duration, log *slog.Logger) *fitter {
	f := &fitter{after: after, log: log, waiting: make(map[*database]bool)}
	f.ctx, f.end = context.WithCancel(context.Background())
	return f
}

// due has d fitted when that suits.
func (f *fitter) due(d *database) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting[d] = true
	if !f.running && f.ctx.Err() == nil {
		f.running = true
		f.ended.Add(1)
		go f.work()
	}
}

// work fits what waits until there is nothing.
func (f *fitter) work() {
	defer f.ended.Done()
	for f.rest() {
		for _, d := range f.take() {
			if f.ctx.Err() != nil {
				return
			}
			f.fit(d)
		}
	}
}

// rest waits until the next fit may begin. It returns false, and the goroutine is to end,
// if there is none.
func (f *fitter) rest() bool {
	f.mu.Lock()
	if len(f.waiting) == 0 || f.ctx.Err() != nil {
		f.running = false
		f.mu.Unlock()
		return false
	}
	wait := max(f.after, time.Until(f.rested))
	f.mu.Unlock()
	select {
	case <-time.After(wait):
	case <-f.ctx.Done():
	}
	return true
}

func (f *fitter) take() []*database {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []*database
	for d := range f.waiting {
		list = append(list, d)
	}
	clear(f.waiting)
	return list
}

// fit fits and calibrates d where that is due.
func (f *fitter) fit(d *database) {
	d.fitted(true)
	defer d.fitted(false)
	c := d.current()
	if c == nil {
		return
	}
	start := time.Now()
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
