package node

import (
	"context"
	"errors"
	"fmt"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/snapshot"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/stream"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// errLost says that the existing log is not the one that the database follows, errDatabase
// that the database cannot apply the log, and errLate that a training came too late.
var (
	errLost     = errors.New("log is lost")
	errDatabase = errors.New("database cannot follow")
	errLate     = errors.New("training came into the log after its time: the clocks of the machines differ, or it was held up")
)

// follow applies entries of the log until an error.
func (n *Node) follow(ctx context.Context) (err error) {
	at, err := n.place(ctx)
	if err != nil {
		return err
	}
	defer func(has bool) {
		n.mu.Lock()
		n.alone = err != nil && has
		n.mu.Unlock()
	}(at.Stream != nil)
	s, err := n.stream.State(ctx)
	if errors.Is(err, stream.ErrNone) && at.Stream != nil {
		return fmt.Errorf("%w: %s, which the database follows, is not there", errLost, at.Stream)
	}
	if err != nil {
		return err
	}
	if at, err = n.join(ctx, s, at); err != nil {
		return err
	}
	// An earlier process may have ended before a fit that is due.
	ledger := count.Ledger(0)
	if err := n.use(ctx, func(c *classify.Classifier) error {
		ledger = c.Store().Ledger()
		_, err := c.ApplyLog(ctx, nil)
		return err
	}); err != nil {
		return err
	}
	n.mu.Lock()
	n.joined, n.state, n.why, n.at, n.last, n.ledger, n.clock = &s.Stream, Following, "", at.Position, s.Last, ledger, s.Clock
	n.goal = s.Last
	n.caught = n.caught || n.at >= n.goal
	n.mu.Unlock()
	n.log.Info("following the log", "position", at.Position, "last", s.Last)
	return n.stream.Read(ctx, at.Position, func(batch []stream.Entry) error { return n.apply(ctx, batch) })
}

// use calls f with the open database.
func (n *Node) use(ctx context.Context, f func(*classify.Classifier) error) error {
	if err := n.db.Use(ctx, "", f); err != nil {
		return fmt.Errorf("%w: %w", errDatabase, err)
	}
	return nil
}

// place returns the position of the database, which may be missing.
func (n *Node) place(ctx context.Context) (at snapshot.Place, err error) {
	err = n.use(ctx, func(c *classify.Classifier) error {
		at, err = snapshot.Of(c.Store())
		return err
	})
	if errors.Is(err, store.ErrNotExist) {
		err = nil
	}
	return at, err
}

// reopened is how often entries are applied to a database that was closed meanwhile, as a reload
// does to open it anew.
const reopened = 4

// apply applies entries, and sends the results to waiting publishers.
func (n *Node) apply(ctx context.Context, batch []stream.Entry) error {
	for len(batch) > 0 {
		end := 0
		for end < len(batch) && !marks(&batch[end]) {
			end++
		}
		end = min(end+1, len(batch))
		part := batch[:end]
		logged, err := n.deltas(part)
		if err != nil {
			return err
		}
		var applied []store.Applied
		for again := 0; again == 0 || again < reopened && errors.Is(err, store.ErrClosed); again++ {
			err = n.use(ctx, func(c *classify.Classifier) error {
				some, err := c.ApplyLog(ctx, logged[len(applied):])
				applied = append(applied, some...)
				return err
			})
		}
		n.applied(part, applied)
		if err != nil {
			return err
		}
		if last := &part[end-1]; marks(last) {
			n.tellHash(ctx, last)
		}
		batch = batch[end:]
	}
	return nil
}

// deltas reads entries. All nodes skip an entry that is not a Delta. A Delta of a later
// version other nodes may apply, so this node waits. Late entries are skipped: they were
// reported as failed, and may have been taught again or corrected since.
func (n *Node) deltas(entries []stream.Entry) ([]store.Logged, error) {
	own, err := new(store.Delta).MarshalBinary()
	if err != nil {
		return nil, err
	}
	logged := make([]store.Logged, len(entries))
	for i, e := range entries {
		d := new(store.Delta)
		if e.Late {
			n.log.Warn("training came into the log after its time; all nodes pass it over", "position", e.Position)
		} else if err := d.UnmarshalBinary(e.Data); err != nil {
			if len(e.Data) > 5 && string(e.Data[:4]) == string(own[:4]) && e.Data[4] > own[4] {
				return nil, fmt.Errorf("%w: position %d of the log: %w", errDatabase, e.Position, err)
			}
			n.log.Warn("entry of the log is no Delta; all nodes pass it over", "position", e.Position, "error", err)
			d = new(store.Delta)
		}
		logged[i] = store.Logged{Delta: d, Position: e.Position}
	}
	return logged, nil
}

// applied records the position, and notifies publishers waiting for the entries.
func (n *Node) applied(entries []stream.Entry, applied []store.Applied) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i, a := range applied {
		n.at = entries[i].Position
		if w := n.waiting[entries[i].ID]; w != nil {
			if entries[i].Late {
				a.Refused = errLate
			}
			w <- a
			delete(n.waiting, entries[i].ID)
		}
	}
	n.last = max(n.last, n.at)
	n.caught = n.caught || n.at >= n.goal
	if n.joined != nil && len(applied) > 0 {
		n.state, n.why = Following, ""
	}
}
