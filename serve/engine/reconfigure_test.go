package engine

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/decisions"
	"github.com/polya-classifier/polya/store"
)

// reloading is a Publisher that applies a training while the Engine is configured anew.
type reloading struct {
	reload func() // begins
	use    func(func(*classify.Classifier) error) error
}

func (r *reloading) Ready() error { return nil }

func (r *reloading) Publish(ctx context.Context, _ string, d *store.Delta) (applied store.Applied, err error) {
	r.reload()
	done := make(chan error, 1)
	go func() {
		done <- r.use(func(c *classify.Classifier) error {
			applied, err = c.Store().Apply(d)
			return err
		})
	}()
	select {
	case err := <-done:
		return applied, err
	case <-time.After(2 * time.Minute):
		return applied, errors.New("what applies the log does not get the database")
	}
}

// Reconfigure waits for a training, which waits for what applies the log: that gets the database
// meanwhile. Options that are wrong change nothing.
func TestReconfigureWhileFollowing(t *testing.T) {
	t.Parallel()
	p := new(reloading)
	o := Options{Path: filepath.Join(t.TempDir(), "mail.polya"), Publisher: p}
	e, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	e.patience = 0
	o.Decisions = new(decisions.Options)
	reloaded := make(chan error, 1)
	p.reload = func() {
		go func() { reloaded <- e.Reconfigure(o) }()
		for e.using.TryRLock() { // until it waits
			e.using.RUnlock()
			time.Sleep(time.Millisecond)
		}
	}
	p.use = func(do func(*classify.Classifier) error) error { return e.Follow(t.Context(), "", false, do) }
	message := backend.Request{Message: []byte("Subject: one\n\none\n")}
	if outcome, err := e.Learn(t.Context(), message, "spam"); err != nil || outcome != backend.Learned {
		t.Errorf("%v, %v", outcome, err)
	}
	if err := <-reloaded; err != nil {
		t.Error(err)
	}
	if e.Reconfigure(Options{}) == nil || !e.Keeps() || e.Ready(t.Context()) != nil {
		t.Error("it has not gone on with the other options")
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// While Reconfigure waits for a backup or the like, there are answers.
func TestReconfigureWhileUsed(t *testing.T) {
	t.Parallel()
	o := Options{Path: filepath.Join(t.TempDir(), "mail.polya")}
	e := newEngine(t, o)
	if _, err := e.Learn(t.Context(), backend.Request{Message: []byte("Subject: one\n\none\n")}, "spam"); err != nil {
		t.Fatal(err)
	}
	reloaded, answered := make(chan error, 1), make(chan error, 1)
	err := e.Use(t.Context(), "", func(*classify.Classifier) error {
		go func() { reloaded <- e.Reconfigure(o) }()
		go func() {
			for start := time.Now(); time.Since(start) < 100*time.Millisecond; time.Sleep(time.Millisecond) { // Reconfigure has begun by then
				if _, err := e.Classify(t.Context(), backend.Request{Message: []byte("two")}, false); err != nil {
					answered <- err
					return
				}
			}
			answered <- nil
		}()
		select {
		case err := <-answered:
			return err
		case <-time.After(2 * time.Minute):
			return errors.New("no answer")
		}
	})
	if err = errors.Join(err, <-reloaded); err != nil {
		t.Error(err)
	}
}
