package daemon

import (
	"context"
	"sync/atomic"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/serve/metrics"
	"github.com/polya-classifier/polya/store"
)

// Follower makes the databases follow a log, from which they learn the trainings of
// this process and of others.
type Follower interface {
	engine.Publisher
	// Ready returns why the databases are not yet what the log says, nil once they were.
	Ready() error
	// Gauges measures how far the log is followed.
	Gauges() []metrics.Gauge
	// Follow applies what the log brings until ctx ends. Trainings in progress when the
	// daemon stops are still applied before that.
	Follow(ctx context.Context, d Followed)
}

// Followed are the databases that a Follower changes; see engine.Engine.
type Followed interface {
	Users() ([]string, error)
	Follow(ctx context.Context, user string, create bool, f func(*classify.Classifier) error) error
	FitAt(ctx context.Context, user string, position uint64) error
	Replace(ctx context.Context, user, backup string) (store.Restored, error)
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

func (f *followed) Users() ([]string, error) { return f.engine.Load().Users() }

func (f *followed) Follow(ctx context.Context, user string, create bool, do func(*classify.Classifier) error) error {
	return f.engine.Load().Follow(ctx, user, create, do)
}

func (f *followed) FitAt(ctx context.Context, user string, position uint64) error {
	return f.engine.Load().FitAt(ctx, user, position)
}

func (f *followed) Replace(ctx context.Context, user, backup string) (store.Restored, error) {
	return f.engine.Load().Replace(ctx, user, backup)
}
