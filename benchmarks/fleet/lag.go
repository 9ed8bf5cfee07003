//go:build linux

package main

import (
	"context"
	"slices"
	"sync"
	"time"
)

// look is the interval at which a node is asked for its position: the resolution of lags.
const look = 20 * time.Millisecond

// trace holds the positions up to which a node had applied the log, and when it was seen.
type trace struct {
	mu   sync.Mutex
	seen []sighting // in order of time and of position
}

type sighting struct {
	at       time.Time
	position uint64
}

// watch asks the node until ctx is done.
func (n *node) watch(ctx context.Context) {
	for ctx.Err() == nil {
		within, cancel := context.WithTimeout(ctx, time.Second)
		p, err := n.position(within)
		cancel()
		if err == nil {
			n.trace.add(sighting{time.Now(), p})
		}
		select {
		case <-ctx.Done():
		case <-time.After(look):
		}
	}
}

func (t *trace) add(s sighting) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.seen) == 0 || t.seen[len(t.seen)-1].position <= s.position {
		t.seen = append(t.seen, s)
	}
}

// after returns the first sighting at a moment or later.
func (t *trace) after(moment time.Time) (sighting, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i, _ := slices.BinarySearchFunc(t.seen, moment, func(s sighting, m time.Time) int { return s.at.Compare(m) })
	if i == len(t.seen) {
		return sighting{}, false
	}
	return t.seen[i], true
}

// reached returns when the node was first seen to have a position.
func (t *trace) reached(position uint64) (time.Time, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i, _ := slices.BinarySearchFunc(t.seen, position, func(s sighting, p uint64) int {
		if s.position < p {
			return -1
		}
		return 1
	})
	if i == len(t.seen) {
		return time.Time{}, false
	}
	return t.seen[i].at, true
}

// lagged is the time from an acknowledgement until a node had applied the training.
type lagged struct {
	at  time.Time // of the acknowledgement
	lag time.Duration
}

// lags returns the time from each acknowledgement until a node was seen to have applied the
// training. The node that acknowledged it had applied it then, and its position, this or a
// later one, was seen a moment later: a lag may be too long by that moment, but not too short.
// Lags of a node that did not answer for a second, as after a kill, are unknown and left out.
func (f *fleet) lags(acks []ack, node *node) (all []lagged) {
	for _, a := range acks {
		s, ok := f.nodes[a.node].trace.after(a.at)
		if !ok || s.at.Sub(a.at) > time.Second {
			continue
		}
		if at, ok := node.trace.reached(s.position); ok {
			all = append(all, lagged{a.at, max(0, at.Sub(a.at))})
		}
	}
	return all
}

// quantile returns a quantile of sorted times, 0 if there are none.
func quantile(sorted []time.Duration, share float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}
