// Package daemon runs polya as a long-lived process: it opens the sockets of a
// configuration, serves each one's protocol, and answers from the databases.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"slices"
	"sync"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/config"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/metrics"
	"github.com/polya-classifier/polya/serve/page"
	"github.com/polya-classifier/polya/store/count"
)

// Daemon is what Run runs.
type Daemon struct {
	Options
	path      string
	config    *config.Config
	log       *slog.Logger
	level     slog.LevelVar
	inherited map[string][]*os.File
	memory    *gate.Memory // of all messages in progress

	engine *engine.Engine
	admin  *page.Admin
	counts *metrics.Counts

	serving []*service
	running sync.WaitGroup
	failed  chan error

	bounding, following, draining task // boundMemory, the Follower, and what learns the spool
}

// task is what runs beside the listeners until it is ended.
type task struct {
	cancel  context.CancelFunc
	running sync.WaitGroup
}

func (t *task) begin(ctx context.Context, run func(context.Context)) {
	ctx, t.cancel = context.WithCancel(ctx)
	t.running.Go(func() { run(ctx) })
}

func (t *task) end() {
	if t.cancel != nil {
		t.cancel()
		t.running.Wait()
	}
}

// service is a listener of the configuration that is served.
type service struct {
	kind    string
	asked   asked
	sockets []*socket
	serve   func(context.Context, net.Listener) error // nil for that of Daemon.server
	cancel  context.CancelFunc
}

// Options say what a daemon is beside its configuration. The zero value logs nowhere.
type Options struct {
	Version  string                                    // reported to clients
	Log      io.Writer                                 // receives the log
	Reload   <-chan os.Signal                          // each signal rereads the file and reopens the databases
	Follower Follower                                  // keeps the shared database in step with a log; nil for none
	Load     func(path string) (*config.Config, error) // reads the file, also anew; nil is config.Load
	Ready    func()                                    // called once it serves; nil for nobody
}

// String is the service as it stands in the configuration.
func (s *service) String() string {
	if s.kind == "control" {
		return "database.control"
	}
	return "[[" + s.kind + "]]"
}

// Run serves the configuration until ctx is done, then finishes the requests in progress
// and returns nil. A file found wrong on rereading changes nothing.
func Run(ctx context.Context, path string, o Options) error {
	d, err := load(path, o)
	if err != nil {
		return err
	}
	// Clients wait in the queue of the sockets from now on, rather than find nobody.
	services := d.wanted(d.config, false)
	if err := d.open(services); err != nil {
		return err
	}
	if d.engine, err = engine.New(d.engineOptions(d.config)); err != nil {
		d.end(services)
		return err
	}
	d.admin, d.counts = page.New(d.engine), metrics.New(d.engine)
	if f := d.Follower; f != nil {
		d.following.begin(context.WithoutCancel(ctx), func(ctx context.Context) { f.Follow(ctx, func() *engine.Engine { return d.engine }) })
	}
	for _, s := range services {
		d.start(ctx, s)
	}
	d.ready(ctx)
	if o.Ready != nil {
		o.Ready()
	}
	d.drain(ctx)
	d.bounding.begin(ctx, d.boundMemory)
	for {
		select {
		case <-d.Reload:
			notify("RELOADING=1")
			d.reload(ctx)
		case err := <-d.failed:
			return errors.Join(err, d.stop())
		case <-ctx.Done():
			return d.stop()
		}
	}
}

// ready opens the shared database and reports that the daemon is ready. Without a
// database that can be opened it serves too: clients are told to try again later.
func (d *Daemon) ready(ctx context.Context) {
	why, err := d.engine.Untaught(ctx)
	if err != nil && ctx.Err() == nil {
		d.log.Error("cannot use the database; requests fail temporarily", "error", err)
		notify("READY=1\nSTATUS=database cannot be used: " + err.Error())
		return
	}
	if err == nil && why != "" {
		d.log.Warn("all answers are unsure until messages of each class are taught", "reason", why)
	} else if err == nil && len(d.config.Database.Spam) > 0 && !d.learned(ctx, d.config.Database.Spam) {
		d.log.Warn("no answer is spam: nothing was learned of it; if its class has another name, database.spam says which", "spam", d.config.Database.Spam)
	}
	kept := d.config.Database.Path + ".decisions"
	if _, err := os.Lstat(kept); err == nil && !d.config.Decisions.Keep {
		d.log.Warn("no decisions are kept, but those of before are there, and stay; you may remove them, and the file .old", "path", kept)
	}
	d.log.Info("ready", "database", d.config.Database.Path, "listeners", len(d.serving))
	notify("READY=1\nSTATUS=serving")
}

// learned reports whether the shared database has documents of one of some classes or tags.
func (d *Daemon) learned(ctx context.Context, some []string) (found bool) {
	_ = d.engine.Use(ctx, "", func(c *classify.Classifier) error {
		classes, err := c.Classes()
		found = err != nil || c.Store().Tags() || slices.ContainsFunc(classes, func(k *count.Class) bool {
			return k.Docs > 0 && slices.Contains(some, k.Name)
		})
		return nil
	})
	return found
}

func (d *Daemon) stop() error {
	notify("STOPPING=1")
	d.log.Info("stopping")
	serving := d.serving
	d.serving = nil
	d.end(serving)
	d.running.Wait()
	d.draining.end()
	d.following.end()
	d.bounding.end()
	var err error
	if d.engine != nil {
		if err = d.engine.Close(); err != nil {
			d.log.Error("cannot close databases", "error", err)
		}
	}
	d.log.Info("stopped")
	return err
}

func (d *Daemon) start(ctx context.Context, s *service) {
	ctx, s.cancel = context.WithCancel(ctx)
	if s.serve == nil {
		s.serve = d.server(s).Serve
	}
	d.serving = append(d.serving, s)
	for _, l := range s.sockets {
		d.log.Info("listening", "protocol", s.kind, "address", l.Addr().String())
		d.running.Go(func() {
			if err := s.serve(ctx, l); err != nil && !errors.Is(err, net.ErrClosed) && ctx.Err() == nil {
				select {
				case d.failed <- fmt.Errorf("%s %s: %w", s, l.Addr(), err):
				default:
				}
			}
		})
	}
}

// Follower makes the databases follow a log of the trainings of this process and of others.
type Follower interface {
	engine.Publisher
	// Gauges measures how far the log is followed.
	Gauges(*metrics.Page)
	// Follow applies what the log brings until ctx ends, by Engine.Follow and FitAt of the current
	// engine. Trainings in progress when the daemon stops are still applied before that.
	Follow(ctx context.Context, current func() *engine.Engine)
}

// engineOptions returns the options of the engine, whose trainings go into the log if there is one.
func (d *Daemon) engineOptions(c *config.Config) engine.Options {
	o := c.Engine(d.log)
	if d.Follower != nil {
		o.Publisher = d.Follower
	}
	return o
}
