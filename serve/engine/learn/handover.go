package learn

import (
	"context"
	"math"
)

// HandOver lets another process write the file until giveBack is called, which the caller must do. Until then
// the database counts as open and is only read. Trainings and a second HandOver wait for a short time; then
// the file is taken back unless it is being written.
func (d *Database) HandOver(ctx context.Context) (giveBack func(), err error) {
	d.Hold()
	if err := d.acquire(ctx, whole, math.MaxInt); err != nil {
		d.Release()
		return nil, err
	}
	h := new(handover)
	d.reopen(func() { d.handover, d.away = h, true })
	return func() { d.end(h, nil) }, nil
}

// whole is all of Database.writing, of which each that writes takes 1.
const whole = 1 << 30

// acquire takes some of d.writing, and takes the file back from a process that keeps it for long: that may be
// waiting for a person at a terminal. It tries that so many times.
func (d *Database) acquire(ctx context.Context, some int64, times int) error {
	for n := 0; ; n++ {
		short, cancel := context.WithTimeout(ctx, d.patience)
		err := d.writing.Acquire(short, some)
		cancel()
		if err == nil || ctx.Err() != nil || n == times {
			return err
		}
		d.mu.Lock()
		h := d.handover
		d.mu.Unlock()
		d.end(h, func() error {
			_, err := d.Open(ctx, true)
			return err
		})
	}
}

// end ends a handover, unless check, which opens the database, fails since it is being written.
func (d *Database) end(h *handover, check func() error) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return
	}
	d.reopen(func() { d.away = false })
	if check != nil && check() != nil {
		d.reopen(func() { d.away = true })
		return
	}
	h.over = true
	d.writing.Release(whole)
	d.fitLater()
	d.Release()
}

// Hold keeps d open until it is released.
func (d *Database) Hold() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.holders++
}

// Release ends a Hold.
func (d *Database) Release() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.holders--
}

// CloseIdle begins to close the database unless it is in use, and reports whether it did.
func (d *Database) CloseIdle() bool {
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
	go func() {
		defer func() { <-d.opening }()
		d.report(c.Close())
	}()
	return true
}
