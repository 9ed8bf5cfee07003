package config

import (
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"strconv"
	"time"

	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/internal/settings"
	"github.com/polya-classifier/polya/serve/engine"
)

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
	if err != nil {
		return nil, err
	}
	(&checker{k}).config(c)
	if err := k.Err(); err != nil {
		return nil, err
	}
	return c, nil
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
	if err != nil {
		return fmt.Errorf("%q is no mode of a socket: want one as \"0660\"", text)
	}
	*m = Mode(n)
	return nil
}
