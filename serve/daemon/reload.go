package daemon

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/polya-classifier/polya/serve/config"
)

// reload reads the configuration anew. Listeners that are the same go on. A configuration
// that is wrong, or a listener that cannot be opened, changes nothing.
func (d *Daemon) reload(ctx context.Context) {
	var keep, fresh []*service
	c, err := d.Load(d.path)
	if err == nil {
		for _, s := range d.wanted(c, false) {
			if old := d.same(s); old != nil {
				keep = append(keep, old)
			} else {
				fresh = append(fresh, s)
			}
		}
		err = d.open(fresh)
	}
	if err != nil {
		d.log.Error("configuration is wrong; the daemon keeps the old one", "error", err)
		notify("READY=1\nSTATUS=serving as before, since the configuration is wrong: " + err.Error())
		return
	}
	d.log.Info("reloading", "configuration", d.path)
	d.level.Set(c.Log.Level)
	was := d.config
	d.config = c
	d.memory.Resize(c.Memory())
	if reflect.DeepEqual(was.Database, c.Database) && reflect.DeepEqual(was.Users, c.Users) && was.Decisions == c.Decisions && was.Auto == c.Auto {
		_ = d.engine.Reopen(ctx) // ready says the error
	} else if err := d.engine.Reconfigure(d.engineOptions(c)); err != nil {
		d.log.Error("database cannot be used", "error", err)
	}
	old := d.serving
	d.serving = keep
	for _, s := range fresh {
		d.start(ctx, s)
	}
	for _, s := range old {
		if !slices.Contains(keep, s) {
			d.end([]*service{s})
		}
	}
	d.ready(ctx)
	d.drain(ctx)
}

// same returns the running service that is configured and reached exactly as s.
func (d *Daemon) same(s *service) *service {
	for _, old := range d.serving {
		lost := slices.ContainsFunc(old.sockets, func(s *socket) bool { return s.path != "" && !s.there() })
		if old.kind == s.kind && reflect.DeepEqual(old.asked, s.asked) && !lost {
			return old
		}
	}
	return nil
}

// open opens the sockets of services, all or none. A socket on which another service listens
// now is taken over, so that clients find it at every moment.
func (d *Daemon) open(services []*service) (err error) {
	defer func() {
		if err != nil {
			d.end(services)
		}
	}()
	for _, s := range services {
		l := &s.asked.Listener
		if s.asked.folder {
			if err := os.MkdirAll(filepath.Dir(l.Address), 0o700); err != nil {
				return fmt.Errorf("users.path: %w", err)
			}
		}
		if old := d.at(l); old != nil {
			s.sockets, err = old.again(l)
		} else {
			s.sockets, err = d.listen(l)
		}
		if err != nil {
			return fmt.Errorf("%s %s: %w", s, l.Address, err)
		}
	}
	return nil
}

// at returns the open socket at a listener's address, or nil. Sockets of systemd are
// taken from it again.
func (d *Daemon) at(l *config.Listener) *socket {
	network, address := l.Where()
	for _, s := range d.serving {
		if n, a := s.asked.Where(); n != network || a != address || n == "systemd" {
			continue
		}
		if s := s.sockets[0]; s.path == "" || s.there() {
			return s
		}
	}
	return nil
}

// end ends services. The files of sockets that others serve stay.
func (d *Daemon) end(services []*service) {
	for _, s := range services {
		if s.cancel != nil {
			s.cancel()
		}
		for _, l := range s.sockets {
			shared := func(other *socket) bool { return other != l && other.path == l.path }
			if slices.ContainsFunc(d.serving, func(s *service) bool { return slices.ContainsFunc(s.sockets, shared) }) {
				l.Close()
			} else {
				l.end()
			}
		}
	}
}
