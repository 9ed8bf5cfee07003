package node

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"

	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/stream"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// maxLag is how many positions a node may be behind and still accept trainings: further behind,
// it would not apply them in time for the teacher.
const maxLag = 5000

// errAway says why a training fails for now.
var errAway = errors.New("the log cannot be written to")

// Publish implements engine.Publisher. The log contains a Delta once, even if it is
// published again; the stream acknowledges it when most of its servers have it.
func (n *Node) Publish(ctx context.Context, user string, d *store.Delta) (store.Applied, error) {
	e := stream.Entry{ID: rand.Text(), User: user}
	done := make(chan store.Applied, 1)
	from, ledger, err := n.await(e.ID, done)
	if err != nil {
		return store.Applied{}, err
	}
	defer n.give(e.ID)
	if d != nil {
		whole := store.Delta{Keep: cmp.Or(d.Keep, ledger)} // the same on all nodes
		whole.Merge(d)
		if e.Data, err = whole.MarshalBinary(); err != nil {
			return store.Applied{}, err
		}
	}
	wait := n.config.Wait
	if n.away.Load() {
		wait /= 5 // the last wait was in vain, and others wait behind this one
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	defer context.AfterFunc(n.life, cancel)() // nobody would apply it
	position, err := n.stream.Publish(ctx, &e)
	n.away.Store(err != nil && ctx.Err() != nil)
	switch {
	case errors.Is(err, nats.ErrMaxPayload):
		// The caller retries a batch document by document.
		return store.Applied{}, fmt.Errorf("%d bytes are more than the log takes at once: %w", len(e.Data), count.ErrInvalid)
	case err != nil:
		select {
		case applied := <-done:
			return applied, nil // the log has it, although nobody said so
		default:
			return store.Applied{}, fmt.Errorf("%w: %w", errAway, err)
		}
	case position <= from:
		n.restart()
		return store.Applied{}, fmt.Errorf("%w: %w: it goes on at %d, the database is at %d", errAway, errLost, position, from)
	}
	select {
	case applied := <-done:
		return applied, nil
	case <-ctx.Done():
		return store.Applied{}, fmt.Errorf("training is in the log at position %d and not applied here yet: %w", position, backend.ErrBusy)
	}
}

// await registers done for the result of an entry. It returns the current position of the
// database, and its ledger mode.
func (n *Node) await(id string, done chan store.Applied) (from uint64, ledger count.Ledger, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.joined == nil, n.state == Failing:
		return 0, 0, fmt.Errorf("%w: %s", errAway, n.why)
	case n.last > n.at+maxLag:
		return 0, 0, fmt.Errorf("this node is %d positions behind the log: %w", n.last-n.at, backend.ErrBusy)
	}
	n.waiting[id] = done
	return n.at, n.ledger, nil
}

func (n *Node) give(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.waiting, id)
}
