package engine

import (
	"context"
	"runtime"
)

// A message takes up to 20 times its size in memory while its terms are counted and looked
// up. So only a few of the accepted messages are processed at a time and the others wait;
// long and short ones have separate places, so that no short one waits for a long one.
const (
	// longMessage is the size of a long message. 99 of 100 are shorter.
	longMessage = 128 << 10
	// shortLane and longLane are the messages of each kind processed at a time for each processor.
	shortLane, longLane = 8, 1
)

// lanes are the places of messages being processed.
type lanes struct{ short, long chan struct{} }

func newLanes() lanes {
	n := runtime.GOMAXPROCS(0)
	return lanes{make(chan struct{}, shortLane*n), make(chan struct{}, longLane*n)}
}

// enter waits for a place for a message of this size, which leave gives back.
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
