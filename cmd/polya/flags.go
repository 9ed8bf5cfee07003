package main

import (
	"errors"
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

// creatingFlags adds the flags of commands that may make a database, which set o.
func creatingFlags(cmd *cobra.Command, o *classify.Options) {
	command.ValueFlag(cmd, &o.Store.Ledger, "ledger", func(name string) (ledger count.Ledger, err error) {
		if name == "" {
			return 0, nil
		}
		if ledger, err = count.ParseLedger(name); err != nil {
			err = errors.New("want full, digest or none")
		}
		return ledger, err
	}, "what to keep of each document, `MODE`: full, digest or none (default\nwhat the database was made with, full in a new one)")
	analyzerFlag(cmd, &o.Analyzer, "`SPEC` of the analyzer of a new database, as in \"polya-7 lang=auto\"; see\n'polya help analyzer'")
	command.Complete(cmd, "ledger", "full", "digest", "none")
}

func analyzerFlag(cmd *cobra.Command, spec *string, usage string) {
	command.ValueFlag(cmd, spec, "analyzer", func(spec string) (string, error) {
		a, err := tokenize.New(spec)
		if err != nil || spec == "" { // of a variable that is not set
			return "", err
		}
		return a.Spec(), nil
	}, usage)
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

func (p *program) completeClassFlag(cmd *cobra.Command, flag string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, p.classArguments(math.MaxInt, cobra.ShellCompDirectiveNoFileComp))
}

func momentFlag(cmd *cobra.Command, to *time.Time, name, usage string) {
	command.ValueFlag(cmd, to, name, func(s string) (time.Time, error) {
		t, ok := parseMoment(s, time.Now())
		if !ok {
			return t, errors.New("want a time as 2026-07-31, 2026-07-31T18:00:00Z, 90m or 180d")
		}
		return t, nil
	}, usage)
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
