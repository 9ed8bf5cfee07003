package daemon

import (
	"context"
	"net"

	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/api"
	"github.com/polya-classifier/polya/serve/api/client"
	"github.com/polya-classifier/polya/serve/config"
	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/milter"
	"github.com/polya-classifier/polya/serve/overview"
	"github.com/polya-classifier/polya/serve/rspamd"
	"github.com/polya-classifier/polya/serve/script"
	"github.com/polya-classifier/polya/serve/spamd"
	"github.com/polya-classifier/polya/store"
)

// asked is the configuration of a service. A reload keeps a service if none of this has
// changed.
type asked struct {
	config.Listener
	hosts   []string       // of http
	milter  *config.Milter // of milter
	token   string
	message config.Size
	folder  bool // it is the folder of users' databases, and is made
}

// wanted returns the services of a configuration, none of them open.
func wanted(c *config.Config) (all []*service) {
	add := func(kind string, a asked) {
		a.token, a.message = c.Token, c.Database.MaxMessage
		all = append(all, &service{kind: kind, asked: a})
	}
	for _, l := range c.Spamd {
		add("spamd", asked{Listener: l})
	}
	for _, l := range c.Rspamd {
		add("rspamd", asked{Listener: l})
	}
	for _, l := range c.Script {
		add("script", asked{Listener: l})
	}
	if c.Database.Control {
		add("control", asked{Listener: config.Listener{Address: client.Path(c.Database.Path), Mode: 0o600}})
		if c.Users.Path != "" {
			add("control", asked{Listener: config.Listener{Address: client.FolderPath(c.Users.Path), Mode: 0o600}, folder: true})
		}
	}
	for _, m := range c.Milter {
		add("milter", asked{Listener: m.Listener, milter: &m})
	}
	for _, h := range c.HTTP {
		add("http", asked{Listener: h.Listener, hosts: h.Hosts})
	}
	return all
}

// rules say who may teach, by their names in the configuration.
var rules = map[string]access.Rule{
	"owner":  access.Owner,
	"self":   access.Self,
	"anyone": func(c access.Caller) bool { return c.Token || c.UID >= 0 },
	"nobody": func(access.Caller) bool { return false },
}

// excerpt is the number of bytes of a message that milters and scripts keep; they skip the
// rest. It is more than mail servers accept.
const excerpt = config.Size(16 << 20)

// refuseToLend is for a database that follows a log: nobody else may change it.
func refuseToLend(context.Context, string) (func(), error) { return nil, store.ErrFollows }

// server makes the server of a service.
func (d *Daemon) server(s *service) (serve func(context.Context, net.Listener) error, err error) {
	log, teach := d.log.With("protocol", s.kind), rules[s.asked.Teach]
	limits := gate.Limits{Connections: s.asked.Connections, Message: int64(s.asked.message)}
	switch s.kind {
	case "spamd":
		return spamd.New(d.counts, spamd.Options{Log: log, Token: s.asked.token, MayLearn: teach, Limits: limits}).Serve, nil
	case "rspamd":
		return rspamd.New(d.counts, rspamd.Options{
			Log: log, Password: s.asked.token, MayLearn: teach, Limits: limits, Version: d.options.Version,
		}).Serve, nil
	case "script":
		if s.asked.Teach == "anyone" {
			teach = nil // the permissions of the socket decide
		}
		limits.Message = int64(min(s.asked.message, excerpt))
		v, err := script.New(script.Options{Backend: d.counts, Log: log, MayLearn: teach, Limits: limits})
		if err != nil {
			return nil, err
		}
		return v.Serve, nil
	case "control":
		commands := &api.Commands{Owner: d.engines.Owner, Lend: d.engines.Lend}
		if d.options.Follower != nil {
			commands.Lend = refuseToLend
		}
		return api.New(api.Options{Backend: d.counts, Engine: d.engines, Log: log, Limits: limits, Version: d.options.Version, Commands: commands}).Serve, nil
	case "milter":
		o := s.asked.milter.Options()
		o.Backend, o.Log, o.Limits.MessageBytes = d.counts, log, int(min(s.asked.message, excerpt))
		m, err := milter.New(o)
		if err != nil {
			return nil, err
		}
		return m.Serve, nil
	default:
		return api.New(api.Options{
			Backend: d.counts, Engine: d.engines, Desk: overview.New(d.engines), Metrics: d.writeMetrics, Log: log, Token: s.asked.token, MayTeach: teach,
			Hosts: s.asked.hosts, Limits: limits, Version: d.options.Version,
		}).Serve, nil
	}
}
