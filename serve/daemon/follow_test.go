package daemon

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/config"
	"github.com/polya-classifier/polya/store"
)

// reloading is a Follower that applies a training while the configuration is read anew.
type reloading struct {
	Follower
	reload func() // begins
	use    func(func(*classify.Classifier) error) error
}

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
	case <-time.After(20 * time.Second):
		return applied, errors.New("the Follower does not get the database")
	}
}

// A reload that replaces the engine waits for a training, which waits for the Follower: the Follower
// gets the database meanwhile.
func TestReloadWhileFollowing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "polya.toml")
	load := func(more string) *config.Config {
		if err := os.WriteFile(path, []byte("[database]\npath = \"mail.polya\"\n[[http]]\naddress = \"/tmp/polya-none\"\n"+more), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	f := new(reloading)
	e, err := newEngines(load(""), f, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	other := load("[decisions]\nsize = \"1 MiB\"\n")
	reloaded := make(chan error, 1)
	f.reload = func() {
		go func() { reloaded <- e.reload(t.Context(), other) }()
		for e.mu.TryRLock() { // until the reload waits
			e.mu.RUnlock()
			time.Sleep(time.Millisecond)
		}
	}
	f.use = func(do func(*classify.Classifier) error) error {
		return e.current.Load().Follow(t.Context(), "", false, do)
	}
	message := backend.Request{Message: []byte("Subject: one\n\none\n")}
	if outcome, err := e.Learn(t.Context(), message, "spam"); err != nil || outcome != backend.Learned {
		t.Errorf("%v, %v", outcome, err)
	}
	if err := <-reloaded; err != nil {
		t.Error(err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}
