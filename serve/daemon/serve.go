package daemon

import (
	"context"
	"net"

	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/api"
	"github.com/polya-classifier/polya/serve/config"
	"github.com/polya-classifier/polya/serve/control"
	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/milter"
	"github.com/polya-classifier/polya/serve/rspamd"
	"github.com/polya-classifier/polya/serve/script"
	"github.com/polya-classifier/polya/serve/spamd"
)

// plainListener is a listener with what else a reload may change for it.
type plainListener struct {
	config.Listener
	token   string
	message config.Size
}

type httpListener struct {
	config.HTTP
	token   string
	message config.Size
}

// wanted returns the services of a configuration, none of them open.
func wanted(c *config.Config) (all []*service) {
	add := func(kind string, list []config.Listener) {
		for _, l := range list {
			all = append(all, &service{kind: kind, options: plainListener{l, c.Token, c.Database.MaxMessage}})
		}
	}
	add("spamd", c.Spamd)
	add("rspamd", c.Rspamd)
	add("script", c.Script)
	if c.Database.Control {
		beside := config.Listener{Address: control.Path(c.Database.Path), Mode: 0o600}
		all = append(all, &service{kind: "control", options: plainListener{Listener: beside, message: c.Database.MaxMessage}})
	}
	for _, m := range c.Milter {
		all = append(all, &service{kind: "milter", options: m})
	}
	for _, h := range c.HTTP {
		all = append(all, &service{kind: "http", options: httpListener{h, c.Token, c.Database.MaxMessage}})
	}
	return all
}

func (s *service) listener() *config.Listener {
	switch o := s.options.(type) {
	case plainListener:
		return &o.Listener
	case config.Milter:
		return &o.Listener
	case httpListener:
		return &o.Listener
	}
	panic("no such service")
}

// rules say who may teach, by their names in the configuration.
var rules = map[string]access.Rule{
	"owner":  access.Owner,
	"self":   access.Self,
	"anyone": func(c access.Caller) bool { return c.Token || c.UID >= 0 },
	"nobody": func(access.Caller) bool { return false },
}

// server makes what serves the sockets of a service.
func (d *Daemon) server(s *service) (func(context.Context, net.Listener) error, error) {
	log := d.log.With("protocol", s.kind)
	switch o := s.options.(type) {
	case config.Milter:
		options := o.Options()
		options.Backend, options.Log = d.counts, log
		m, err := milter.New(options)
		if err != nil {
			return nil, err
		}
		return m.Serve, nil
	case httpListener:
		return api.New(api.Options{
			Backend: d.counts, Engine: d.engines, Metrics: d.writeMetrics, Log: log, Token: o.token, MayTeach: rules[o.Teach],
			Hosts: o.Hosts, Limits: limits(o.Connections, o.message), Version: d.version,
		}).Serve, nil
	case plainListener:
		switch s.kind {
		case "spamd":
			return spamd.New(d.counts, spamd.Options{
				Log: log, Token: o.token, MayLearn: rules[o.Teach], Limits: limits(o.Connections, o.message),
			}).Serve, nil
		case "rspamd":
			return rspamd.New(d.counts, rspamd.Options{
				Log: log, Password: o.token, MayLearn: rules[o.Teach], Limits: limits(o.Connections, o.message), Version: d.version,
			}).Serve, nil
		case "control":
			return control.New(d.counts, control.Options{Log: log, Limits: limits(0, o.message), Lend: d.engines.Lend, Keeper: d.engines}).Serve, nil
		}
		// To anyone the permissions of the socket say all: the scripts know no token.
		mayLearn := rules[o.Teach]
		if o.Teach == "anyone" {
			mayLearn = nil
		}
		v, err := script.New(script.Options{Backend: d.counts, Log: log, MayLearn: mayLearn, Limits: limits(o.Connections, o.message)})
		if err != nil {
			return nil, err
		}
		return v.Serve, nil
	}
	panic("no such service")
}

func limits(connections int, message config.Size) gate.Limits {
	return gate.Limits{Connections: connections, Message: int64(message)}
}
