package engine

import (
	"context"
	"runtime"
)

// A message takes up to 20 times its size while its terms are counted and looked up, which
// would be all memory if as many were in work as may be in hand. So few are: the others
// wait, and a long one keeps no short one waiting for its end.
const (
	// longMessage is the size of a long message. 99 of 100 are shorter.
	longMessage = 128 << 10
	// shortLane is the number of shorter ones in work for each processor, and longLane that
	// of long ones.
	shortLane, longLane = 8, 1
)

// lanes are the places of what is in work.
type lanes struct{ short, long chan struct{} }

func newLanes() lanes {
	n := runtime.GOMAXPROCS(0)
	return lanes{make(chan struct{}, shortLane*n), make(chan struct{}, longLane*n)}
}

// enter waits for a place for a message of that size. The caller calls leave, unless ctx
// is done before.
func (l lanes) enter(ctx context.Context, size int) (leave func(), err error) {
	lane := l.short
	if size > longMessage {
		lane = l.long
	}
	select {
	case lane <- struct{}{}:
		return func() { <-lane }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
