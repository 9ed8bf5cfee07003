package daemon

import (
	"cmp"
	"context"
	"net"
	"slices"

	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/api"
	"github.com/polya-classifier/polya/serve/api/client"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/config"
	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/milter"
	"github.com/polya-classifier/polya/serve/rspamd"
	"github.com/polya-classifier/polya/serve/script"
	"github.com/polya-classifier/polya/serve/spamd"
)

// asked is the configuration of a service, which a reload keeps if none of this has changed.
type asked struct {
	config.Listener
	token   string
	file    string // of the token
	message config.Size
	folder  bool // it is the folder of users' databases, and is made
}

// wanted returns the services of Spool or those of Run: of the configuration, and those whose sockets
// systemd has opened although the configuration does not name them.
func (d *Daemon) wanted(c *config.Config, spool bool) (all []*service) {
	add := func(kind string, l config.Listener) *asked {
		s := &service{kind: kind, asked: asked{Listener: l, token: c.Token, file: c.Learning.TokenFile, message: c.Database.MaxMessage}}
		all = append(all, s)
		return &s.asked
	}
	c.Each(func(kind string, _ int, l *config.Listener) {
		if spool == (kind == "spool") {
			add(kind, *l)
		}
	})
	if spool {
		return all
	}
	if c.Database.Control {
		add("control", config.Listener{Address: client.Path(c.Database.Path), Mode: 0o600})
		if c.Users.Path != "" {
			add("control", config.Listener{Address: client.FolderPath(c.Users.Path), Mode: 0o600}).folder = true
		}
	}
	// Unix sockets that systemd has named after a protocol are served with the defaults: to enable one is
	// enough. A network needs a listener that says who may use it.
	for _, kind := range []string{"spamd", "milter"} {
		l := config.Listener{Address: "systemd:" + kind, Teach: c.Teacher()}
		named := slices.ContainsFunc(all, func(s *service) bool { return s.asked.Address == l.Address })
		if !named && len(d.inherited[kind]) > 0 && allUnix(d.inherited[kind]) {
			add(kind, l)
		}
	}
	return all
}

// rules say who may teach, by their names in the configuration.
var rules = map[string]access.Rule{
	"owner":  access.Owner,
	"self":   access.Self,
	"anyone": access.Anyone,
	"nobody": func(access.Caller) bool { return false },
}

// serverOptions returns the options of a server that reads so many bytes of a message.
func (d *Daemon) serverOptions(s *service, b backend.Backend, message config.Size) gate.Options {
	return gate.Options{
		Backend: b, Log: d.log.With("protocol", s.kind), Token: s.asked.token, MayTeach: rules[s.asked.Teach], Version: d.Version,
		Limits: gate.Limits{Connections: s.asked.Connections, Message: int64(min(s.asked.message, message)), Memory: d.memory.Part()},
	}
}

func (d *Daemon) server(s *service) interface {
	Serve(context.Context, net.Listener) error
} {
	o := d.serverOptions(s, d.counts, s.asked.message)
	switch s.kind {
	case "spamd":
		return spamd.New(o)
	case "rspamd":
		return rspamd.New(o)
	case "script":
		return script.New(d.serverOptions(s, d.counts, excerpt))
	case "milter":
		return milter.New(d.serverOptions(s, d.counts, excerpt), *cmp.Or(s.asked.Policy, new(milter.Policy)))
	case "control":
		o.Token = ""
		return api.New(api.Options{Options: o, Engine: d.engine, Commands: true})
	default:
		return api.New(api.Options{
			Options: o, Engine: d.engine, Admin: d.admin, Metrics: d.metrics, TokenFile: s.asked.file, Hosts: s.asked.Hosts,
		})
	}
}
