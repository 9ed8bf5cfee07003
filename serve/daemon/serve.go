package daemon

import (
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
	"github.com/polya-classifier/polya/serve/overview"
	"github.com/polya-classifier/polya/serve/rspamd"
	"github.com/polya-classifier/polya/serve/script"
	"github.com/polya-classifier/polya/serve/spamd"
)

// asked is the configuration of a service. A reload keeps a service if none of this has
// changed.
type asked struct {
	config.Listener
	hosts   []string       // of http
	policy  *milter.Policy // of milter
	token   string
	file    string // of the token
	message config.Size
	folder  bool // it is the folder of users' databases, and is made
}

// services are the services that a process has for a configuration, none of them open.
type services struct {
	config *config.Config
	all    []*service
}

func (s *services) add(kind string, a asked) {
	a.token, a.file, a.message = s.config.Token, s.config.Learning.TokenFile, s.config.Database.MaxMessage
	s.all = append(s.all, &service{kind: kind, asked: a})
}

// spooling returns the services of Spool.
func spooling(c *config.Config) []*service {
	s := services{config: c}
	for _, l := range c.Spool {
		s.add("spool", asked{Listener: l})
	}
	return s.all
}

// wanted returns the services of Run: those of the configuration, and those whose sockets
// systemd has opened although the configuration does not name them.
func (d *Daemon) wanted(c *config.Config) []*service {
	s := services{config: c}
	for _, l := range c.Spamd {
		s.add("spamd", asked{Listener: l})
	}
	for _, l := range c.Rspamd {
		s.add("rspamd", asked{Listener: l})
	}
	for _, l := range c.Script {
		s.add("script", asked{Listener: l})
	}
	if c.Database.Control {
		s.add("control", asked{Listener: config.Listener{Address: client.Path(c.Database.Path), Mode: 0o600}})
		if c.Users.Path != "" {
			s.add("control", asked{Listener: config.Listener{Address: client.FolderPath(c.Users.Path), Mode: 0o600}, folder: true})
		}
	}
	for _, m := range c.Milter {
		s.add("milter", asked{Listener: m.Listener, policy: &m.Policy})
	}
	for _, h := range c.HTTP {
		s.add("http", asked{Listener: h.Listener, hosts: h.Hosts})
	}
	d.addInherited(&s)
	return s.all
}

// addInherited adds the protocols after which systemd has named unix sockets that no listener
// names, with the defaults: to enable such a socket is enough. A network needs a listener that
// says who may use it.
func (d *Daemon) addInherited(s *services) {
	for _, kind := range []string{"spamd", "milter"} {
		l := config.Listener{Address: "systemd:" + kind, Teach: s.config.Teacher()}
		named := slices.ContainsFunc(s.all, func(s *service) bool { return s.asked.Address == l.Address })
		if named || len(d.inherited[kind]) == 0 || !allUnix(d.inherited[kind]) {
			continue
		}
		a := asked{Listener: l}
		if kind == "milter" {
			a.Teach, a.policy = "", new(milter.Policy)
		}
		s.add(kind, a)
	}
}

// rules say who may teach, by their names in the configuration.
var rules = map[string]access.Rule{
	"owner":  access.Owner,
	"self":   access.Self,
	"anyone": func(c access.Caller) bool { return c.Token || c.UID >= 0 },
	"nobody": func(access.Caller) bool { return false },
}

// serverOptions returns the options of a server that reads so many bytes of a message.
func (d *Daemon) serverOptions(s *service, b backend.Backend, message config.Size) gate.Options {
	return gate.Options{
		Backend: b, Log: d.log.With("protocol", s.kind), Token: s.asked.token, MayTeach: rules[s.asked.Teach], Version: d.Version,
		Limits: gate.Limits{Connections: s.asked.Connections, Message: int64(min(s.asked.message, message)), Memory: d.memory.Part()},
	}
}

// scripts returns a server of Dovecot's scripts.
func (d *Daemon) scripts(s *service, b backend.Backend) *script.Server {
	o := d.serverOptions(s, b, excerpt)
	if s.asked.Teach == "anyone" {
		o.MayTeach = nil // the permissions of the socket decide
	}
	return script.New(o)
}

// server makes the server of a service.
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
		return d.scripts(s, d.counts)
	case "milter":
		return milter.New(d.serverOptions(s, d.counts, excerpt), *s.asked.policy)
	case "control":
		o.Token = ""
		return api.New(api.Options{
			Options: o, Engine: d.engine, Commands: &api.Commands{Owner: d.engine.Owner, Lend: d.engine.Lend},
		})
	default:
		return api.New(api.Options{
			Options: o, Engine: d.engine, Admin: overview.New(d.engine), Metrics: d.writeMetrics, TokenFile: s.asked.file, Hosts: s.asked.hosts,
		})
	}
}
