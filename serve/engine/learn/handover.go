package learn

import (
	"context"
	"fmt"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
)

// HandOver lets another process write the file until giveBack is called, which the caller must do. Until then
// the database counts as open and is only read. Trainings and a second HandOver wait for a short time; then
// the file is taken back unless it is being written.
func (d *Database) HandOver(ctx context.Context) (giveBack func(), err error) {
	d.Hold()
	if err := d.acquire(ctx, d.writing.Lock, d.writing.Unlock); err != nil {
		d.Release()
		return nil, err
	}
	h := new(handover)
	d.reopen(func() { d.handover, d.away = h, true })
	return func() { d.end(h, nil) }, nil
}

// acquire calls lock, which waits while another process may write, and takes the file back if
// that takes too long. The other process may be waiting for a person at a terminal.
func (d *Database) acquire(ctx context.Context, lock, unlock func()) error {
	got := make(chan struct{})
	go func() {
		lock()
		close(got)
	}()
	late := time.NewTicker(d.patience)
	defer late.Stop()
	for {
		select {
		case <-got:
			return nil
		case <-late.C:
			d.mu.Lock()
			h := d.handover
			d.mu.Unlock()
			d.end(h, func() error {
				_, err := d.Open(ctx, true)
				return err
			})
		case <-ctx.Done():
			go func() {
				<-got
				unlock()
			}()
			return ctx.Err()
		}
	}
}

// acquireToLearn read-locks d.writing, or returns a temporary error.
func (d *Database) acquireToLearn() error {
	if d.writing.TryRLock() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*d.patience)
	defer cancel()
	if err := d.acquire(ctx, d.writing.RLock, d.writing.RUnlock); err != nil {
		return fmt.Errorf("%s is written by another process: %w", d.path, backend.ErrBusy)
	}
	return nil
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
	d.writing.Unlock()
	d.fitLater()
	d.Release()
}
