//go:build !linux

package maildir

import (
	"context"
	"time"

	"github.com/polya-classifier/polya/cmd/polyad/internal/watching"
)

// Wait waits until something may have changed, at most for the given time.
func (b *Box) Wait(ctx context.Context, most time.Duration) error { return watching.Pause(ctx, most) }
