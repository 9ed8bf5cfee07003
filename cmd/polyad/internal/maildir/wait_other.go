//go:build !linux

package maildir

import (
	"context"
	"time"

	"github.com/polya-classifier/polya/cmd/polyad/internal/filing"
)

// A Notice waits for possible changes of folders.
type Notice struct{}

// often is the interval of listing folders on systems that do not report changes.
const often = 5 * time.Second

// Notice returns a Notice about these folders.
func (b *Box) Notice(filing.Rules) (*Notice, error) { return &Notice{}, nil }

// Wait waits until something may have changed, at most for the given time.
func (n *Notice) Wait(ctx context.Context, most time.Duration) error {
	select {
	case <-time.After(min(most, often)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends the Notice.
func (n *Notice) Close() error { return nil }
