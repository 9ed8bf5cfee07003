//go:build !linux

package maildir

import (
	"context"
	"time"

	"github.com/polya-classifier/polya/cmd/polya/internal/filing"
)

// A Notice tells when something may have changed.
type Notice struct{}

// often is how often folders are looked at where nothing tells of changes.
const often = 5 * time.Second

// Notice returns what tells of changes in folders.
func (b *Box) Notice(filing.Rules) (*Notice, error) { return &Notice{}, nil }

// Wait waits until something may have changed, for so long at most.
func (n *Notice) Wait(ctx context.Context, most time.Duration) error {
	select {
	case <-time.After(min(most, often)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends it.
func (n *Notice) Close() error { return nil }
