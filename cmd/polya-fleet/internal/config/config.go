// Package config reads the configuration of a node of a fleet.
package config

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/polya-classifier/polya/internal/settings"
	"github.com/polya-classifier/polya/serve/config"
)

// Template is a configuration to start from: each key with its default and its purpose.
//
//go:embed fleet.toml
var Template []byte

// Config is the content of a file, checked and with the defaults filled in.
type Config struct {
	Name     string        `toml:"name"`
	Nodes    []string      `toml:"nodes"`
	Serve    string        `toml:"serve"` // the configuration of polyad serve
	Fleet    string        `toml:"fleet"`
	Snapshot uint64        `toml:"snapshot"` // positions between snapshots
	Wait     time.Duration `toml:"wait"`     // how long a training waits for the log
	Server   Server        `toml:"server"`
	NATS     NATS          `toml:"nats"`
	Access   Access        `toml:"access"`

	Token string      `toml:"-"` // "" for none
	TLS   *tls.Config `toml:"-"` // nil for none
}

// Server configures the NATS server within the node: its addresses for clients and for
// other nodes' servers, and the folder of the log. Without Listen there is none.
type Server struct {
	Listen  string   `toml:"listen"`
	Cluster string   `toml:"cluster"`
	Routes  []string `toml:"routes"`
	Store   string   `toml:"store"`
	Sync    string   `toml:"sync"` // "always", or from one time to the next
	Remote  bool     `toml:"remote"`

	// Every is Sync as an interval, 0 for always.
	Every time.Duration `toml:"-"`
}

// NATS lists further servers: outside of nodes, or to use while this node's own is away.
type NATS struct {
	URLs     []string `toml:"urls"`
	Replicas int      `toml:"replicas"` // of the log; 0 is the default
}

// Access says how nodes and commands authenticate.
type Access struct {
	TokenFile   string `toml:"token-file"`
	Certificate string `toml:"tls-certificate"`
	Key         string `toml:"tls-key"`
	Authority   string `toml:"tls-authority"`
}

// Load reads and checks a file. It has the errors of config.Load of polyad serve.
func Load(path string) (*Config, error) {
	c := &Config{Fleet: "polya", Snapshot: 10_000, Wait: 15 * time.Second, Server: Server{Store: "jetstream", Sync: "always"}}
	k, err := settings.Load(path, c)
	if err != nil {
		return nil, err
	}
	c.check(k)
	return c, k.Err()
}

// Replicas returns the number of servers that store the log.
func (c *Config) Replicas() int { return cmp.Or(c.NATS.Replicas, min(3, len(c.Nodes))) }

// URLs returns the addresses of the servers, this node's own first.
func (c *Config) URLs() []string {
	if c.Server.Listen == "" {
		return c.NATS.URLs
	}
	host, port, _ := net.SplitHostPort(c.Server.Listen)
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return append([]string{"nats://" + net.JoinHostPort(host, port)}, c.NATS.URLs...)
}

// Daemon reads the configuration of polyad serve, and refuses settings that a fleet cannot share.
func (c *Config) Daemon() (*config.Config, error) {
	d, err := config.Load(c.Serve)
	if err != nil {
		return nil, err
	}
	refuse := func(is bool, text string) {
		if is {
			err = errors.Join(err, fmt.Errorf("%s: %s", c.Serve, text))
		}
	}
	refuse(strings.HasSuffix(d.Users.Path, "%u"), "users.path: want an ending behind %u, as \"%u.polya\": a fleet puts other files beside databases")
	refuse(d.Learning.TokenFile != "" && d.Token == "", "learning.token-file: "+d.Learning.TokenFile+" is not there; 'polyad serve --init' makes it")
	return d, err
}

// readTLS reads this node's certificate, and the authority that has signed other nodes'
// certificates.
func (a *Access) readTLS() (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(a.Certificate, a.Key)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(a.Authority)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s: no certificate in PEM", a.Authority)
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{pair},
		RootCAs: pool, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert,
	}, nil
}
