//go:build linux

package store

import (
	"testing"
	"time"
)

// A process that learns without a pause, or answers, gives others their turn.
func TestTurns(t *testing.T) {
	t.Parallel()
	t.Run("learn", func(t *testing.T) {
		turns(t, func(db *DB, i int) { learn(t, db, i) })
	})
	t.Run("answer", func(t *testing.T) {
		turns(t, func(db *DB, _ int) { learned(t, db) })
	})
}

func turns(t *testing.T, use func(db *DB, i int)) {
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
			use(a, i)
		}
	}
}
