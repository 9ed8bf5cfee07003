package config

import (
	"log/slog"
	"time"

	"github.com/polya-classifier/polya/internal/settings"
	"github.com/polya-classifier/polya/serve/engine"
)

// Load reads and checks a file. The error is a file system error, or
// several about keys joined.
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
