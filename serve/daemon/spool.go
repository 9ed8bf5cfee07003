package daemon

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/polya-classifier/polya/serve/config"
	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/script"
)

// errNoSpool says that the configuration has no spool.
var errNoSpool = errors.New("there is no [[spool]] in the configuration")

// spoolFolder is the folder beside the database where what scripts teach waits.
func spoolFolder(c *config.Config) string { return c.Database.Path + ".spool" }

// Spool stores the trainings of Dovecot's scripts that come through the [[spool]] sockets
// of a configuration, until ctx is done. Run, in another process, learns them.
func Spool(ctx context.Context, path string, o Options) error {
	d, err := load(path, o)
	if err != nil {
		return err
	}
	services := d.wanted(d.config, true)
	if len(services) == 0 {
		return errNoSpool
	}
	spool, err := script.NewSpool(spoolFolder(d.config))
	if err != nil {
		return err
	}
	if err := d.open(services); err != nil {
		return err
	}
	for _, s := range services {
		s.serve = script.New(d.serverOptions(s, spool, excerpt)).Serve
		d.start(ctx, s)
	}
	d.bounding.begin(ctx, d.boundMemory)
	notify("READY=1\nSTATUS=spooling")
	select {
	case err = <-d.failed:
	case <-ctx.Done():
	}
	return errors.Join(err, d.stop())
}

func load(path string, o Options) (*Daemon, error) {
	if o.Load == nil {
		o.Load = loadWithToken
	}
	c, err := o.Load(path)
	if err != nil {
		return nil, err
	}
	o.Log = cmp.Or(o.Log, io.Discard)
	d := &Daemon{path: path, Options: o, config: c, inherited: inherited(), failed: make(chan error, 1)}
	d.memory = gate.NewMemory(c.Memory())
	d.level.Set(c.Log.Level)
	d.log = Logger(o.Log, c.Log, &d.level)
	return d, nil
}

// loadWithToken reads a configuration, and makes the token that it names if that is missing.
func loadWithToken(path string) (*config.Config, error) {
	c, err := config.Load(path)
	if err == nil {
		_, err = c.MakeToken()
	}
	return c, err
}

// drain learns what is in the spool, if the configuration has one, in place of an earlier one.
func (d *Daemon) drain(ctx context.Context) {
	d.draining.end()
	if len(d.config.Spool) == 0 {
		return
	}
	spool, err := script.NewSpool(spoolFolder(d.config))
	if err != nil {
		d.log.Error("spool: cannot read requests", "error", err)
		return
	}
	d.draining.begin(ctx, func(ctx context.Context) { spool.Drain(ctx, d.counts, d.log) })
}
