package config

import (
	"net"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/polya-classifier/polya/internal/settings"
	"github.com/polya-classifier/polya/serve/config"
)

// word is a name of a node or a fleet: part of a subject, of names of streams, and of files.
var word = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)

// minSnapshot is the least number of positions from one snapshot to the next: each is a copy
// of the whole database.
const minSnapshot = 100

// maxWait bounds the time in which a training is published again and again: the log knows its id for
// two minutes, and would take it twice after that.
const maxWait = time.Minute

func (c *Config) check(k *settings.Checker) {
	for i, name := range c.Nodes {
		if !word.MatchString(name) {
			k.Wrong("nodes", "%q: want 1 to 32 letters, digits, - or _", name)
		}
		if slices.Contains(c.Nodes[:i], name) {
			k.Wrong("nodes", "%q is there twice", name)
		}
	}
	if !slices.Contains(c.Nodes, c.Name) {
		k.Wrong("name", "want one of nodes, not %q", c.Name)
	}
	if !word.MatchString(c.Fleet) {
		k.Wrong("fleet", "%q: want 1 to 32 letters, digits, - or _", c.Fleet)
	}
	if c.Serve == "" {
		k.Wrong("serve", "want the file of polyad serve's configuration")
	}
	k.Path(&c.Serve)
	if c.Snapshot < minSnapshot {
		k.Wrong("snapshot", "want at least %d trainings from one to the next", minSnapshot)
	}
	if c.Wait < time.Second || c.Wait > maxWait {
		k.Wrong("wait", "want a second to a minute")
	}
	c.access(k)
	if n := c.NATS.Replicas; n < 0 || n > 5 || n > 0 && c.Server.Listen != "" {
		k.Wrong("nats.replicas", "want 1 to 5, of servers that are elsewhere")
	}
	switch {
	case c.Server.Listen != "":
		c.server(k)
	case len(c.NATS.URLs) == 0:
		k.Wrong("", "want server.listen, or nats.urls of servers that are elsewhere")
	}
}

func (c *Config) access(k *settings.Checker) {
	a := &c.Access
	for _, path := range []*string{&a.TokenFile, &a.Certificate, &a.Key, &a.Authority} {
		k.Path(path)
	}
	if a.TokenFile != "" {
		c.Token = k.Token("access.token-file", a.TokenFile)
	}
	if a.Certificate == "" && a.Key == "" && a.Authority == "" {
		return
	}
	var err error
	if c.TLS, err = a.readTLS(); err != nil {
		k.Wrong("access.tls-certificate", "want certificate, key and authority: %v", err)
	}
}

func (c *Config) server(k *settings.Checker) {
	s := &c.Server
	k.Path(&s.Store)
	if s.Store == "" {
		k.Wrong("server.store", "want a folder for the log")
	}
	if s.Sync != "always" {
		var err error
		if s.Every, err = time.ParseDuration(s.Sync); err != nil || s.Every <= 0 {
			k.Wrong("server.sync", "want \"always\" or a time as \"2m\", not %q", s.Sync)
		}
	}
	c.address(k, "server.listen", s.Listen)
	if len(c.Nodes) < 2 {
		if s.Cluster != "" || len(s.Routes) > 0 {
			k.Wrong("server.cluster", "a fleet of one node has no cluster")
		}
		return
	}
	c.address(k, "server.cluster", s.Cluster)
	if len(s.Routes) == 0 {
		k.Wrong("server.routes", "want the cluster addresses of the other nodes")
	}
	for _, route := range s.Routes {
		if _, _, err := net.SplitHostPort(route); err != nil {
			k.Wrong("server.routes", "%q: want an address as \"127.0.0.1:6222\"", route)
		}
	}
}

// address checks an address to listen on. One that other machines can reach needs permission
// and a token in the configuration: who reaches it can teach, and read what was learned.
func (c *Config) address(k *settings.Checker, key, address string) {
	host, port, err := net.SplitHostPort(address)
	if n, bad := strconv.Atoi(port); err != nil || bad != nil || n < 1 || n > 65535 {
		k.Wrong(key, "%q: want an address as \"127.0.0.1:4222\"", address)
		return
	}
	switch {
	case config.Loopback(host):
	case !c.Server.Remote:
		k.Wrong(key, "other machines reach %s: if that is meant, set remote = true", address)
	case c.Access.TokenFile == "":
		k.Wrong(key, "other machines reach %s: want access.token-file", address)
	}
}
