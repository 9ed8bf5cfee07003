package node

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/snapshot"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/stream"
)

// look is how often a node asks for the state of the log.
const look = 2 * time.Second

// keep checks until ctx ends that the log is the one that the database follows, and that
// it has a snapshot beside it.
func (n *Node) keep(ctx context.Context) {
	next, asked := uint64(0), time.Time{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(look):
		}
		n.show()
		n.mu.Lock()
		joined, at := n.joined, n.at
		n.mu.Unlock()
		if joined == nil {
			continue
		}
		s, err := n.stream.State(ctx)
		if err != nil {
			continue // reading ends by itself if needed
		}
		if s.Stream() != *joined || s.Last < at || s.First > at+1 {
			n.restart()
			continue
		}
		n.mu.Lock()
		n.last, n.clock = max(s.Last, n.at), s.Clock
		n.mu.Unlock()
		if at < next && time.Since(asked) < time.Minute {
			continue
		}
		if next, err = n.keepSnapshot(ctx, at, joined.Created); err != nil {
			next = math.MaxUint64 // not again at once
			if !errors.Is(err, stream.ErrClaimed) && ctx.Err() == nil {
				n.log.Warn("cannot make a snapshot", "error", err)
			}
		}
		asked = time.Now()
	}
}

// keepSnapshot makes a snapshot if there is none or another is due, unless another node makes one. The
// log then keeps the entries since the previous snapshot, so that a node that is behind finds this one
// and the entries after it. It returns the position at which the next is due.
func (n *Node) keepSnapshot(ctx context.Context, at uint64, created time.Time) (next uint64, err error) {
	before, i := uint64(0), (*snapshot.Info)(nil)
	if i, err = snapshot.Latest(ctx, n.stream); err != nil {
		return 0, err
	}
	if i != nil && i.Created.Equal(created) {
		if before = i.Position; at < before+n.config.Snapshot {
			return before + n.config.Snapshot, nil
		}
	}
	position, err := n.snapshot(ctx)
	if err == nil && 0 < before && before < position {
		err = n.stream.Cut(ctx, before)
	}
	return position + n.config.Snapshot, err
}

// snapshot puts one beside the log, and returns its position.
func (n *Node) snapshot(ctx context.Context) (position uint64, err error) {
	path, err := n.file()
	if err != nil {
		return 0, err
	}
	if position, err = snapshot.Make(ctx, n.stream, n.each, path+".snapshot"); err == nil {
		n.log.Info("snapshot lies beside the log", "position", position)
	}
	return position, err
}
