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
	const name = "want 1 to 32 letters, digits, - or _"
	for i, node := range c.Nodes {
		k.Want(word.MatchString(node), "nodes", "%q: %s", node, name)
		k.Want(!slices.Contains(c.Nodes[:i], node), "nodes", "%q is there twice", node)
	}
	k.Want(slices.Contains(c.Nodes, c.Name), "name", "want one of nodes, not %q", c.Name)
	k.Want(word.MatchString(c.Fleet), "fleet", "%q: %s", c.Fleet, name)
	k.Want(c.Serve != "", "serve", "want the file of polyad serve's configuration")
	k.Path(&c.Serve)
	k.Want(c.Snapshot >= minSnapshot, "snapshot", "want at least %d trainings from one to the next", minSnapshot)
	k.Want(c.Wait >= time.Second && c.Wait <= maxWait, "wait", "want a second to a minute")
	c.access(k)
	n, own := c.NATS.Replicas, c.Server.Listen != ""
	k.Want(0 <= n && n <= 5 && !(n > 0 && own), "nats.replicas", "want 1 to 5, of servers that are elsewhere")
	k.Want(own || len(c.NATS.URLs) > 0, "", "want server.listen, or nats.urls of servers that are elsewhere")
	if own {
		c.server(k)
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
	if a.Certificate+a.Key+a.Authority != "" {
		var err error
		c.TLS, err = a.readTLS()
		k.Want(err == nil, "access.tls-certificate", "want certificate, key and authority: %v", err)
	}
}

func (c *Config) server(k *settings.Checker) {
	s := &c.Server
	k.Path(&s.Store)
	k.Want(s.Store != "", "server.store", "want a folder for the log")
	if s.Sync != "always" {
		var err error
		s.Every, err = time.ParseDuration(s.Sync)
		k.Want(err == nil && s.Every > 0, "server.sync", "want \"always\" or a time as \"2m\", not %q", s.Sync)
	}
	c.address(k, "server.listen", s.Listen)
	if len(c.Nodes) < 2 {
		k.Want(s.Cluster == "" && len(s.Routes) == 0, "server.cluster", "a fleet of one node has no cluster")
		return
	}
	c.address(k, "server.cluster", s.Cluster)
	k.Want(len(s.Routes) > 0, "server.routes", "want the cluster addresses of the other nodes")
	for _, route := range s.Routes {
		_, _, err := net.SplitHostPort(route)
		k.Want(err == nil, "server.routes", "%q: want an address as \"127.0.0.1:6222\"", route)
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
	near := config.Loopback(host)
	k.Want(near || c.Server.Remote, key, "other machines reach %s: if that is meant, set remote = true", address)
	k.Want(near || !c.Server.Remote || c.Access.TokenFile != "", key, "other machines reach %s: want access.token-file", address)
}
