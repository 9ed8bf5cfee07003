package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
)

// Lend gives the file of a user's database, or of the shared one if user is "", to another
// process, for it to write. The caller must call giveBack. Until then questions are answered
// from committed counts, and trainings and a second Lend wait for a short time; then the
// file is taken back unless it is being written. A lent user's database counts as open. The
// error is backend.ErrUser if there is no such user.
func (e *Engine) Lend(ctx context.Context, user string) (giveBack func(), err error) {
	if e.isClosed() {
		return nil, errClosed
	}
	d, err := e.of(ctx, user)
	if err != nil {
		return nil, err
	}
	if err := d.acquire(ctx, d.writing.Lock, d.writing.Unlock); err != nil {
		d.release()
		return nil, err
	}
	l := new(loan)
	d.mu.Lock()
	d.loan = l
	d.mu.Unlock()
	d.lend(true)
	return func() { d.end(l, nil) }, nil
}

// patience is how long others wait for a lent file before it is taken back.
const patience = 3 * time.Second

// acquire calls lock, which waits while the file is lent, and takes the file back if that
// takes too long. The borrower may be waiting for a person at a terminal.
func (d *database) acquire(ctx context.Context, lock, unlock func()) error {
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
			l := d.loan
			d.mu.Unlock()
			d.end(l, func() error {
				_, err := d.open(ctx, true)
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
func (d *database) acquireToLearn() error {
	if d.writing.TryRLock() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*d.patience)
	defer cancel()
	if err := d.acquire(ctx, d.writing.RLock, d.writing.RUnlock); err != nil {
		return fmt.Errorf("%s is lent to another process: %w", d.path, backend.ErrBusy)
	}
	return nil
}

// loan is a file lent to another process.
type loan struct {
	mu   sync.Mutex
	over bool
}

// end ends a loan, unless check, which opens the database, finds that the other process
// is writing.
func (d *database) end(l *loan, check func() error) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	d.lend(false)
	if check != nil && check() != nil {
		d.lend(true)
		return
	}
	l.over = true
	d.writing.Unlock()
	d.fits.Add(d)
	d.release()
}

// lend closes the database, so that the next request opens it to read while it is lent.
func (d *database) lend(lent bool) {
	defer d.freed()
	d.opening <- struct{}{}
	defer func() { <-d.opening }()
	c := d.let(nil)
	d.mu.Lock()
	d.lent, d.failed = lent, nil
	d.mu.Unlock()
	if c == nil {
		return
	}
	if err := c.Close(); err != nil {
		d.log.Error("cannot close database", "path", d.path, "error", err)
	}
}

// borrow sets the options to open a lent database without blocking its borrower.
func (d *database) borrow(o *classify.Options) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lent {
		o.Store.ReadOnly, o.Store.Share, o.Store.MustExist, o.Store.Timeout = true, true, true, 0
	}
}
