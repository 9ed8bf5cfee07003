package engine

import (
	"context"

	"github.com/polya-classifier/polya/serve/backend"
)

// train has t learned and waits for it.
func (e *Engine) train(ctx context.Context, d *database, t *training) (backend.Outcome, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := e.submit(d, t); err != nil {
		return 0, err
	}
	return t.wait(ctx)
}

// submit puts t in the queue of d, which stays open until t is learned.
func (e *Engine) submit(d *database, t *training) error {
	if e.waiting.Add(1) > int64(e.options.MaxWaiting) {
		e.waiting.Add(-1)
		return backend.ErrBusy
	}
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		e.waiting.Add(-1)
		return errClosed
	}
	e.calls.Add(1)
	e.mu.Unlock()
	d.hold()
	t.done = make(chan struct{})
	t.finished = func() {
		d.release()
		e.waiting.Add(-1)
		e.calls.Done()
		close(t.done)
	}
	d.learn(t)
	return nil
}

// wait waits until t was learned.
func (t *training) wait(ctx context.Context) (backend.Outcome, error) {
	select {
	case <-t.done:
		return t.outcome, t.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
