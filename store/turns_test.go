//go:build linux

package store

import (
	"testing"
	"time"
)

// A process that learns without a pause gives others their turn.
func TestTurns(t *testing.T) {
	t.Parallel()
	fast(t)
	path := tempDB(t)
	a := shared(t, path, Options{})
	learn(t, a, 0)
	done := make(chan struct{})
	go func() {
		defer close(done)
		b, err := Open(path, tuned(t, Options{Share: true, Timeout: 20 * time.Second}))
		if err != nil {
			t.Error(err)
			return
		}
		b.Close()
	}()
	for i := 1; ; i++ {
		select {
		case <-done:
			mustCheck(t, a)
			return
		default:
			learn(t, a, i)
		}
	}
}
