package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// creating holds the flags of commands that may make a database.
type creating struct {
	ledger   string
	analyzer string
}

func (c *creating) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.ledger, "ledger", "", "what to keep of each document, `MODE`: full, digest or none (default\nwhat the database was made with, full in a new one)")
	cmd.Flags().StringVar(&c.analyzer, "analyzer", "", "`SPEC` of the analyzer of a new database, as in \"polya-6 lang=auto\"; see\n'polya help analyzer'")
	command.Complete(cmd, "ledger", "full", "digest", "none")
}

func (c *creating) options(cmd *cobra.Command) (classify.Options, error) {
	o := classify.Options{Analyzer: c.analyzer}
	if c.ledger != "" {
		ledger, err := count.ParseLedger(c.ledger)
		if err != nil {
			return o, command.Misuse(cmd, "no ledger mode is called %q: want full, digest or none", c.ledger)
		}
		o.Store.Ledger = ledger
	}
	if c.analyzer != "" {
		if _, err := tokenize.New(c.analyzer); err != nil {
			return o, fmt.Errorf("--analyzer: %w; see 'polya help analyzer'", err)
		}
	}
	return o, nil
}

// completionTimeout is how long the Tab key may wait for a database in use.
const completionTimeout = 200 * time.Millisecond

// completeClasses lists the classes to the shell. Without a database there are none.
func (p *program) completeClasses() []string {
	db, err := store.Open(p.Path(), store.Options{ReadOnly: true, Timeout: completionTimeout})
	if err != nil {
		return nil
	}
	defer db.Close()
	return statistics.Names(db)
}

// classArguments completes the first arguments as classes, and later ones as then says.
func (p *program) classArguments(first int, then cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= first {
			return nil, then
		}
		return p.completeClasses(), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeClassFlag completes the value of a flag as a class.
func (p *program) completeClassFlag(cmd *cobra.Command, flag string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, p.classArguments(math.MaxInt, cobra.ShellCompDirectiveNoFileComp))
}

// momentFlag returns the time that a flag names, the zero time if it was not given.
func momentFlag(cmd *cobra.Command, name string) (time.Time, error) {
	flag := cmd.Flags().Lookup(name)
	if !flag.Changed {
		return time.Time{}, nil
	}
	t, ok := parseMoment(flag.Value.String(), time.Now())
	if !ok {
		return t, command.Misuse(cmd, "--%s %q is no time: want one as 2026-07-31, 2026-07-31T18:00:00Z, 90m or 180d", name, flag.Value)
	}
	return t, nil
}

// parseMoment reads a time, or a duration before now.
func parseMoment(s string, now time.Time) (t time.Time, ok bool) {
	for _, layout := range []string{time.RFC3339, time.DateTime, "2006-01-02T15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, true
		}
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return now.AddDate(0, 0, -int(n)), true
		}
	}
	d, err := time.ParseDuration(s)
	return now.Add(-d), err == nil && d >= 0
}
