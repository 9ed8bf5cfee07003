//go:build !linux

package maildir

import (
	"context"
	"time"
)

// often is the interval of listing folders on systems that do not report changes.
const often = 5 * time.Second

// Wait waits until something may have changed, at most for the given time.
func (b *Box) Wait(ctx context.Context, most time.Duration) error {
	select {
	case <-time.After(min(most, often)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
