package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/polya-classifier/polya/serve/backend"
)

// train queues t and waits until it is learned.
func (e *Engine) train(ctx context.Context, d *database, t *training) (backend.Outcome, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := e.submit(d, t); err != nil {
		return 0, err
	}
	return t.wait(ctx)
}

// trainEach learns trainings in their order, a batch at a time, so that others are learned in
// between. It stops after the batch in which one failed; it does not set ended for trainings
// that are in progress when ctx ends.
func (e *Engine) trainEach(ctx context.Context, d *database, list []*training) error {
	for batch := range slices.Chunk(list, maxBatch) {
		err := ctx.Err()
		for i, t := range batch {
			if err == nil {
				err = e.submit(d, t)
			}
			if err != nil {
				batch = batch[:i]
				break
			}
		}
		for _, t := range batch {
			_, failed := t.wait(ctx)
			err = errors.Join(err, failed)
		}
		if err != nil {
			return err
		}
	}
	return nil
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
		t.ended = true
		return t.outcome, t.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
