package watching

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/polya-classifier/polya/cmd/polyad/internal/filing"
)

// failing is a mailbox that fails so, says how long that took, and counts how often it is asked.
type failing struct {
	Box
	err   error
	asked int
}

func (b *failing) Folders(context.Context) ([]string, error) {
	b.asked++
	return nil, fmt.Errorf("%w (0.%d secs)", b.err, b.asked)
}
func (b *failing) Close() error { return nil }

// A refused login is tried so seldom that nobody's account is locked, and other failures soon again.
func TestLoginSeldom(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err         error
		within      time.Duration
		least, most int
	}{{ErrLogin, 10 * time.Minute, 2, 4}, {ErrLogin, 24 * time.Hour, 20, 30}, {errors.New("the connection is lost"), 10 * time.Minute, 9, 20}} {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			b := &failing{err: c.err}
			w, err := Open(Options{Mailbox: "x", State: filepath.Join(dir, "state"), Rules: filing.Rules{{Name: "INBOX", Inbox: true}}, Box: b, Book: &Database{}})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			ctx, cancel := context.WithTimeout(t.Context(), c.within)
			defer cancel()
			said := 0
			w.Run(ctx, time.Minute, func(error) { said++ })
			if b.asked < c.least || b.asked > c.most || said != 1 {
				t.Errorf("%v is tried %d times in %v, and told %d times", c.err, b.asked, c.within, said)
			}
		})
	}
}
