// Package config reads the configuration of the daemon: one TOML file, which names the
// database, who may teach it, and the listeners with their protocols.
package config

import (
	_ "embed"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"strconv"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/internal/settings"
	"github.com/polya-classifier/polya/serve/decisions"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/serve/milter"
	"github.com/polya-classifier/polya/store/count"
)

// Template is a configuration to start from: each key with its default and its purpose.
//
//go:embed polya.toml
var Template []byte

// Config is the content of a file, checked and with the defaults filled in.
type Config struct {
	Database  Database     `toml:"database"`
	Users     engine.Users `toml:"users"`
	Decisions Decisions    `toml:"decisions"`
	Learning  Learning     `toml:"learning"`
	Auto      Auto         `toml:"auto"`
	Log       Log          `toml:"log"`

	Spamd  []Listener `toml:"spamd"`
	Rspamd []Listener `toml:"rspamd"`
	Milter []Listener `toml:"milter"`
	Script []Listener `toml:"script"`
	Spool  []Listener `toml:"spool"` // of scripts that learn; see daemon.Spool
	HTTP   []Listener `toml:"http"`

	// Token is the content of Learning.TokenFile, "" if that is not there, so that no token is
	// right. It permits learning over a network, and opens the HTTP API.
	Token string `toml:"-"`
}

// Database says where the shared database is, and how it answers.
type Database struct {
	Path              string   `toml:"path"`
	Spam              []string `toml:"spam"`
	Classes           []string `toml:"classes"`
	FalsePositiveRate float64  `toml:"false-positive-rate"` // 0 for none
	Threshold         float64  `toml:"threshold"`
	Model             string   `toml:"model"`
	Analyzer          string   `toml:"analyzer"`
	Ledger            string   `toml:"ledger"`
	Control           bool     `toml:"control"`
	MaxMessage        Size     `toml:"max-message"`
	MaxMemory         Size     `toml:"max-memory"` // of all messages in progress
}

// Decisions says how much is kept of the last answers.
type Decisions struct {
	Keep      bool          `toml:"keep"`
	Size      Size          `toml:"size"`
	Retention time.Duration `toml:"retention"`
	Message   Size          `toml:"message"` // of each message; 0 keeps none
}

// Learning says how a program shows that it may teach.
type Learning struct {
	TokenFile string `toml:"token-file"`
}

// Auto says whether the daemon learns its own sure answers.
type Auto struct {
	Enabled bool `toml:"enabled"`
	engine.Auto
}

// Log says what the daemon logs, and in which format.
type Log struct {
	Level  slog.Level `toml:"level"`
	Format string     `toml:"format"` // text or json
}

// A Listener says where a protocol is spoken, and to whom.
type Listener struct {
	Address     string `toml:"address"`
	Remote      bool   `toml:"remote"` // an address that other machines can reach is intended
	Mode        Mode   `toml:"mode"`
	Group       string `toml:"group"`
	Teach       string `toml:"teach"` // owner, self, anyone, nobody; "" is the default
	Connections int    `toml:"connections"`

	Hosts          []string `toml:"hosts"` // of http: host names that clients use, beside localhost
	*milter.Policy          // of milter; nil if no key of it is there
}

// Each calls f with each listener, its protocol, and its number among those of this protocol.
func (c *Config) Each(f func(kind string, n int, l *Listener)) {
	for _, of := range []struct {
		kind string
		list []Listener
	}{{"spamd", c.Spamd}, {"rspamd", c.Rspamd}, {"script", c.Script}, {"spool", c.Spool}, {"http", c.HTTP}, {"milter", c.Milter}} {
		for n := range of.list {
			f(of.kind, n, &of.list[n])
		}
	}
}

// Memory returns the bytes that all messages in progress may have, and those of the largest.
func (c *Config) Memory() (all, largest int64) {
	return int64(c.Database.MaxMemory), int64(c.Database.MaxMessage)
}

// Engine returns the options of the engine.
func (c *Config) Engine(log *slog.Logger) engine.Options {
	d := &c.Database
	o := engine.Options{Path: d.Path, Spam: d.Spam, Classes: d.Classes, Users: c.Users, Log: log}
	o.Classify.Model, _ = classify.ParseModel(d.Model) // checked, as is the ledger
	o.Classify.Store.Ledger, _ = count.ParseLedger(d.Ledger)
	o.Classify.Analyzer, o.Classify.Threshold = d.Analyzer, d.Threshold
	if d.FalsePositiveRate > 0 {
		o.Classify.Decision = decision.FalsePositiveRate{Positive: d.Spam[0], Rate: d.FalsePositiveRate}
	}
	if c.Auto.Enabled {
		o.Auto = &c.Auto.Auto
	}
	if c.Decisions.Keep {
		o.Decisions = &decisions.Options{Size: int64(c.Decisions.Size), Retention: c.Decisions.Retention, Message: int(c.Decisions.Message), Log: log}
	}
	return o
}

// Load reads and checks a file. The error is of the file system, or several about keys joined.
func Load(path string) (*Config, error) {
	c := defaults()
	k, err := settings.Load(path, c)
	return checked(c, k, err)
}

// defaults returns the configuration of an empty file.
func defaults() *Config {
	return &Config{
		Database: Database{
			Spam: []string{"spam"}, Classes: []string{"ham"}, Model: "auto", Ledger: "full", MaxMessage: 64 << 20, MaxMemory: 256 << 20,
			Control: true,
		},
		Users:     engine.Users{MaxOpen: 50},
		Decisions: Decisions{Keep: true, Size: 64 << 20, Retention: 14 * 24 * time.Hour},
		Auto:      Auto{Auto: engine.Auto{Error: .01, People: 50, Slack: 50}},
		Log:       Log{Level: slog.LevelInfo, Format: "text"},
	}
}

func checked(c *Config, k *settings.Checker, err error) (*Config, error) {
	if err == nil {
		(&checker{k}).config(c)
		err = k.Err()
	}
	return c, err
}

// checker collects the errors of a configuration.
type checker struct{ *settings.Checker }

// Size is a number of bytes, written as "64 MiB" or 67108864.
type Size int64

// UnmarshalText reads a size.
func (s *Size) UnmarshalText(text []byte) error {
	n, err := numeric.Bytes(string(text))
	if err != nil || n > math.MaxInt {
		return fmt.Errorf("%q is no size: want one as \"64 MiB\"", text)
	}
	*s = Size(n)
	return nil
}

// Mode is the permissions of a socket, written as "0660".
type Mode fs.FileMode

// UnmarshalText reads a mode.
func (m *Mode) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 8, 9)
	if err != nil || n&0o600 != 0o600 {
		return fmt.Errorf("%q is no mode of a socket that its owner may open: want one as \"0660\"", text)
	}
	*m = Mode(n)
	return nil
}
