package daemon

import (
	"context"

	"github.com/polya-classifier/polya/serve/config"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/serve/metrics"
)

// Follower makes the databases follow a log of the trainings of this process and of others.
type Follower interface {
	engine.Publisher
	// Gauges measures how far the log is followed.
	Gauges() []metrics.Gauge
	// Follow applies what the log brings until ctx ends, by Engine.Follow and FitAt of the current
	// engine. Trainings in progress when the daemon stops are still applied before that.
	Follow(ctx context.Context, current func() *engine.Engine)
}

// engineOptions returns the options of the engine, whose trainings go into the log if there is one.
func (d *Daemon) engineOptions(c *config.Config) (engine.Options, error) {
	o, err := c.Engine(d.log)
	if d.Follower != nil {
		o.Publisher = d.Follower
	}
	return o, err
}

func (d *Daemon) follow(ctx context.Context) {
	f := d.Follower
	if f == nil {
		return
	}
	ctx, d.unfollow = context.WithCancel(context.WithoutCancel(ctx))
	d.follows.Go(func() { f.Follow(ctx, func() *engine.Engine { return d.engine }) })
}
