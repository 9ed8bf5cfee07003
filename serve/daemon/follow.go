package daemon

import (
	"context"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/engine"
)

// Follower has the shared database follow a log, from which it learns what is taught here
// and elsewhere.
type Follower interface {
	engine.Publisher
	// Follow applies what the log brings until ctx ends. Trainings that are in hand when the
	// daemon stops are still applied before.
	Follow(ctx context.Context, d Followed)
}

// Followed is the database that a Follower changes; see engine.Engine.
type Followed interface {
	// Use calls f with the open database.
	Use(ctx context.Context, user string, f func(*classify.Classifier) error) error
	// Lend gives the file away, to be written or replaced, until giveBack is called.
	Lend(ctx context.Context, user string) (giveBack func(), err error)
}

// follow begins to follow the log, if there is one.
func (d *Daemon) follow(ctx context.Context) {
	f := d.options.Follower
	if f == nil {
		return
	}
	ctx, d.unfollow = context.WithCancel(context.WithoutCancel(ctx))
	d.follows.Go(func() { f.Follow(ctx, d.engines) })
}
