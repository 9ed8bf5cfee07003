package watching

import (
	"context"
	"time"
)

// After a failure Run waits for firstWait before the next try, then twice as long each time, up
// to longestWait.
const (
	firstWait   = time.Second
	longestWait = 5 * time.Minute
)

// Run looks at the mailbox until ctx is done, after each change and at least at every interval.
// It retries after a failure, and reports a repeated failure once to trouble.
func (w *Watcher) Run(ctx context.Context, interval time.Duration, trouble func(error)) {
	said, pause := "", firstWait
	for ctx.Err() == nil {
		again, err := w.Once(ctx)
		most := interval
		if again > 0 {
			most = min(again, most)
		}
		if err == nil {
			err = w.Box.Wait(ctx, most)
		}
		if err == nil {
			said, pause = "", firstWait
			continue
		}
		if ctx.Err() == nil && err.Error() != said {
			said = err.Error()
			trouble(err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
		pause = min(2*pause, longestWait)
	}
}

// often is how often a Box is looked at that nothing tells of changes.
const often = 5 * time.Second

// Pause is the Wait of such a Box.
func Pause(ctx context.Context, most time.Duration) error {
	select {
	case <-time.After(min(most, often)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Finish looks at the mailbox until no work is left.
func (w *Watcher) Finish(ctx context.Context) error {
	for {
		again, err := w.Once(ctx)
		if err != nil || again == 0 || w.Dry {
			return err
		}
		select {
		case <-time.After(again):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
