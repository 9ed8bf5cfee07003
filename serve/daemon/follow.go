package daemon

import (
	"context"
	"sync/atomic"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/serve/metrics"
)

// Follower makes the shared database follow a log, from which it learns the trainings of
// this process and of others.
type Follower interface {
	engine.Publisher
	// Ready returns why the database is not yet what the log says, nil once it was.
	Ready() error
	// Gauges measures how far the log is followed.
	Gauges() []metrics.Gauge
	// Follow applies what the log brings until ctx ends. Trainings in progress when the
	// daemon stops are still applied before that.
	Follow(ctx context.Context, d Followed)
}

// Followed is the database that a Follower changes; see engine.Engine.
type Followed interface {
	// Use calls f with the open database.
	Use(ctx context.Context, user string, f func(*classify.Classifier) error) error
	// Lend lends the file, to be written or replaced, until giveBack is called.
	Lend(ctx context.Context, user string) (giveBack func(), err error)
}

// follow begins to follow the log, if there is one.
func (d *Daemon) follow(ctx context.Context) {
	f := d.options.Follower
	if f == nil {
		return
	}
	ctx, d.unfollow = context.WithCancel(context.WithoutCancel(ctx))
	d.follows.Go(func() { f.Follow(ctx, &d.engines.followed) })
}

// followed gives a Follower the current engine, without the lock of engines: a training holds that
// until it is applied, and while a reload waits for the lock nobody else gets it.
type followed struct{ engine atomic.Pointer[engine.Engine] }

func (f *followed) Use(ctx context.Context, user string, do func(*classify.Classifier) error) error {
	return f.engine.Load().Use(ctx, user, do)
}

func (f *followed) Lend(ctx context.Context, user string) (giveBack func(), err error) {
	return f.engine.Load().Lend(ctx, user)
}
