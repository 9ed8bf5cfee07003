package store

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/internal/raced"
)

// endsLater is a context that ends when it has been asked so many times.
type endsLater struct {
	context.Context
	asks int
}

func (c *endsLater) Err() error {
	if c.asks--; c.asks < 0 {
		return context.Canceled
	}
	return nil
}

func (c *endsLater) Deadline() (time.Time, bool) { return time.Time{}, false }

// A call that rewrites the file stops when its context ends, whenever that is, and has
// changed nothing.
func TestContextEnds(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	fast(t)
	shortTails(t)
	other := open(t, tempDB(t), Options{Analyzer: "a"})
	for i := range 30 {
		add(t, other, sample(100+i, "work"))
	}
	text := dumpOf(t, other, true)
	step := 1
	if testing.Short() {
		step = 4
	}
	for name, call := range map[string]func(ctx context.Context, db *DB) error{
		"load": func(ctx context.Context, db *DB) error {
			_, err := db.Load(ctx, false, strings.NewReader(text))
			return err
		},
		"merge":  func(ctx context.Context, db *DB) error { _, err := db.Merge(ctx, MergeOptions{}, other); return err },
		"delete": func(ctx context.Context, db *DB) error { return db.DeleteClass(ctx, "spam") },
		"join":   func(ctx context.Context, db *DB) error { return db.MergeClass(ctx, "spam", "ham") },
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t, tempDB(t), Options{Analyzer: "a"})
			for i := range 60 {
				add(t, db, sample(i, []string{"ham", "spam"}[i%2]))
			}
			before := dumpOf(t, db, true)
			for asks := 0; ; asks += step {
				err := call(&endsLater{t.Context(), asks}, db)
				if err == nil {
					if asks == 0 {
						t.Error("the context was not asked")
					}
					break
				}
				if !errors.Is(err, context.Canceled) {
					t.Fatalf("after %d asks: %v", asks, err)
				}
				mustEqualText(t, dumpOf(t, db, true), before)
			}
			if dumpOf(t, db, true) == before {
				t.Error("nothing has changed at last")
			}
		})
	}
}
