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
		_ = Pause(ctx, pause)
		pause = min(2*pause, longestWait)
	}
}

// Pause waits for a time, or returns the error of ctx.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
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
		if err := Pause(ctx, again); err != nil {
			return err
		}
	}
}
