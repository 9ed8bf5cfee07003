package engine

import (
	"context"

	"github.com/polya-classifier/polya/classify"
)

// Lend gives the file of the shared database to another process, for it to write, until
// giveBack is called, which must be. Meanwhile questions are answered by what others have
// committed, and trainings wait. A second Lend waits for the first.
func (e *Engine) Lend(ctx context.Context) (giveBack func(), err error) {
	if e.isClosed() {
		return nil, errClosed
	}
	d := e.shared
	got := make(chan struct{})
	go func() { // waits for what is being written
		d.writing.Lock()
		close(got)
	}()
	select {
	case <-got:
	case <-ctx.Done():
		go func() {
			<-got
			d.writing.Unlock()
		}()
		return nil, ctx.Err()
	}
	d.lend(true)
	return func() {
		d.lend(false)
		d.writing.Unlock()
		d.fits.due(d)
	}, nil
}

// lend closes the database, so that who comes next opens it to read while it is lent.
func (d *database) lend(lent bool) {
	defer d.freed()
	d.opening <- struct{}{}
	defer func() { <-d.opening }()
	c := d.let(nil)
	d.mu.Lock()
	d.lent = lent
	d.mu.Unlock()
	if c == nil {
		return
	}
	if err := c.Close(); err != nil {
		d.log.Error("cannot close database", "path", d.path, "error", err)
	}
}

// borrow has a database that is lent opened so that it is in nobody's way.
func (d *database) borrow(o *classify.Options) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lent {
		o.Store.ReadOnly, o.Store.Share, o.Store.MustExist, o.Store.Timeout = true, true, true, 0
	}
}
