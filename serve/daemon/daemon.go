// Package daemon is polya as a process that stays: it opens the sockets of a
// configuration, speaks on each its protocol, and answers from the databases.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"reflect"
	"slices"
	"sync"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/config"
	"github.com/polya-classifier/polya/serve/control"
	"github.com/polya-classifier/polya/serve/metrics"
)

// Daemon is what Run runs.
type Daemon struct {
	path, version string
	commands      Commands
	config        *config.Config
	log           *slog.Logger
	level         slog.LevelVar
	inherited     map[string][]*os.File

	engines *engines
	counts  *metrics.Counts

	serving []*service
	running sync.WaitGroup
	failed  chan error
}

// service is a listener of the configuration that is served.
type service struct {
	kind    string
	asked   asked
	sockets []*socket
	cancel  context.CancelFunc
}

// A Database is the open shared database, as commands of polya use it.
type Database interface {
	// Use calls f with it to answer.
	Use(ctx context.Context, user string, f func(*classify.Classifier) error) error
	// Change calls f with it to learn, in the turn of other trainings.
	Change(ctx context.Context, f func(*classify.Classifier) error) error
}

// Commands runs a command of polya about one document on the open database. It returns
// control.ErrDeclined for what the command is to do by itself.
type Commands func(context.Context, Database, *control.Command) (control.Result, error)

// Run serves what the file says until ctx is done, then finishes what is in hand and
// returns nil. What comes by reload has the file read and the databases opened anew; a file
// that is wrong changes nothing then. It logs to log; version is told to clients; commands, unless
// it is nil, are those that the control socket runs.
func Run(ctx context.Context, path, version string, commands Commands, log io.Writer, reload <-chan os.Signal) error {
	c, err := config.Load(path)
	if err != nil {
		return err
	}
	d := &Daemon{path: path, version: version, commands: commands, inherited: inherited(), failed: make(chan error, 1)}
	d.log = slog.New(d.handler(log, c.Log.Format))
	d.level.Set(c.Log.Level)
	d.config = c
	// Clients wait in the queue of the sockets from now on, rather than find nobody.
	opened, err := d.open(wanted(c))
	if err != nil {
		return err
	}
	if d.engines, err = newEngines(c, d.log); err != nil {
		for _, s := range opened {
			closeSockets(s.sockets)
		}
		return err
	}
	d.counts = metrics.New(d.engines)
	for i, s := range opened {
		if err := d.start(ctx, s); err != nil {
			for _, s := range opened[i+1:] {
				closeSockets(s.sockets)
			}
			return errors.Join(err, d.stop())
		}
	}
	d.ready(ctx)
	for {
		select {
		case <-reload:
			notify("RELOADING=1")
			err = d.reload(ctx)
			d.ready(ctx)
		case err = <-d.failed:
		case <-ctx.Done():
			return d.stop()
		}
		if err != nil {
			return errors.Join(err, d.stop())
		}
	}
}

func (d *Daemon) handler(w io.Writer, format string) slog.Handler {
	o := &slog.HandlerOptions{Level: &d.level}
	if format == "json" {
		return slog.NewJSONHandler(w, o)
	}
	return slog.NewTextHandler(w, o)
}

// ready opens the shared database and says that the daemon is there. It serves also
// without a database that can be opened: clients hear that it is their turn to wait.
func (d *Daemon) ready(ctx context.Context) {
	if err := d.engines.Ready(ctx); err != nil && ctx.Err() == nil {
		d.log.Error("database cannot be used; requests are answered with failures", "error", err)
		notify("READY=1\nSTATUS=database cannot be used: " + err.Error())
		return
	}
	d.log.Info("ready", "database", d.config.Database.Path, "listeners", len(d.serving))
	notify("READY=1\nSTATUS=serving")
}

// stop finishes what is in hand and closes the databases.
func (d *Daemon) stop() error {
	notify("STOPPING=1")
	d.log.Info("stopping")
	for _, s := range d.serving {
		s.stop()
	}
	d.running.Wait()
	err := d.engines.Close()
	if err != nil {
		d.log.Error("databases closed", "error", err)
	}
	d.log.Info("stopped")
	return err
}

func (s *service) stop() {
	s.cancel()
	closeSockets(s.sockets)
}

// reload reads the configuration anew. Listeners that are the same go on. The error is
// one after which the daemon cannot go on.
func (d *Daemon) reload(ctx context.Context) error {
	c, err := config.Load(d.path)
	if err != nil {
		d.log.Error("configuration is wrong; the daemon goes on with what it had", "error", err)
		return nil
	}
	d.log.Info("reloading", "configuration", d.path)
	d.level.Set(c.Log.Level)
	d.config = c
	err = d.engines.reload(ctx, c)
	if err != nil && d.engines.config != c {
		d.log.Error("database cannot be used", "error", err)
	}
	var keep, fresh []*service
	for _, s := range wanted(c) {
		if old := d.same(s); old != nil {
			keep = append(keep, old)
		} else {
			fresh = append(fresh, s)
		}
	}
	for _, s := range d.serving {
		if !slices.Contains(keep, s) {
			s.stop()
		}
	}
	d.serving = keep
	for _, s := range fresh {
		opened, err := d.open([]*service{s})
		if err == nil {
			err = d.start(ctx, opened[0])
		}
		if err != nil {
			d.log.Error("listener cannot be opened", "protocol", s.kind, "error", err)
		}
	}
	return nil
}

// same returns what is served just as s is to be.
func (d *Daemon) same(s *service) *service {
	for _, old := range d.serving {
		if old.kind == s.kind && reflect.DeepEqual(old.asked, s.asked) {
			return old
		}
	}
	return nil
}

// open opens the sockets of services, all or none.
func (d *Daemon) open(services []*service) ([]*service, error) {
	for i, s := range services {
		var err error
		if s.sockets, err = d.listen(&s.asked.Listener); err != nil {
			for _, s := range services[:i] {
				closeSockets(s.sockets)
			}
			return nil, fmt.Errorf("[[%s]] %s: %w", s.kind, s.asked.Address, err)
		}
	}
	return services, nil
}

// start serves a service whose sockets are open.
func (d *Daemon) start(ctx context.Context, s *service) error {
	serve, err := d.server(s)
	if err != nil {
		closeSockets(s.sockets)
		return fmt.Errorf("[[%s]]: %w", s.kind, err)
	}
	ctx, s.cancel = context.WithCancel(ctx)
	d.serving = append(d.serving, s)
	for _, l := range s.sockets {
		d.log.Info("listening", "protocol", s.kind, "address", l.Addr().String())
		d.running.Go(func() {
			if err := serve(ctx, l); err != nil && !errors.Is(err, net.ErrClosed) && ctx.Err() == nil {
				select {
				case d.failed <- fmt.Errorf("[[%s]] %s: %w", s.kind, l.Addr(), err):
				default:
				}
			}
		})
	}
	return nil
}
