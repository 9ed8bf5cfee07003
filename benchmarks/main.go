//go:build linux

// Benchmarks measures polya: go run ./benchmarks MEASURE [flags] [CORPUS…]. README.md has
// the results.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/polya-classifier/polya/benchmarks/accuracy"
	"github.com/polya-classifier/polya/benchmarks/bombs"
	"github.com/polya-classifier/polya/benchmarks/contention"
	"github.com/polya-classifier/polya/benchmarks/crash"
	"github.com/polya-classifier/polya/benchmarks/decisions"
	"github.com/polya-classifier/polya/benchmarks/evasion"
	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/benchmarks/load"
	"github.com/polya-classifier/polya/benchmarks/newsgroups"
	"github.com/polya-classifier/polya/benchmarks/peers"
	"github.com/polya-classifier/polya/benchmarks/rot"
	"github.com/polya-classifier/polya/benchmarks/tags"
	"github.com/polya-classifier/polya/benchmarks/trainings"
)

var measures = []struct {
	name, about string
	run         func(ctx context.Context, args []string)
}{
	{"peers", "processes, bulk and the daemon beside bogofilter", peers.Run},
	{"accuracy", "accuracy beside scikit-learn and bogofilter", accuracy.Run},
	{"tags", "several tags a document, beside scikit-learn", tags.Run},
	{"newsgroups", "answers in memory beside scikit-learn", newsgroups.Run},
	{"trainings", "single trainings, each on disk", trainings.Run},
	{"contention", "many processes on one database", contention.Run},
	{"load", "latency and memory of a daemon under load", load.Run},
	{"decisions", "wrong labels, hams of one kind, folders by date, and sure answers that are wrong", decisions.Run},
	{"evasion", "spam with words of honest mail added", evasion.Run},
	{"crash", "power failures and kills", crash.Run},
	{"rot", "damaged files", rot.Run},
	{"bombs", "hostile input", bombs.Run},
}

func main() {
	crash.Child()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := harness.Try(func() { run(ctx, os.Args[1:]) }); {
	case errors.Is(err, harness.ErrUsage):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run runs the measure that args begin with.
func run(ctx context.Context, args []string) {
	for _, m := range measures {
		if len(args) > 0 && m.name == args[0] {
			if err := harness.Try(func() { m.run(ctx, args[1:]) }); err != nil {
				harness.Failf("%s: %w", m.name, err)
			}
			return
		}
	}
	fmt.Fprintln(os.Stderr, "usage: go run ./benchmarks MEASURE [flags] [CORPUS…]; MEASURE -h lists its flags")
	for _, m := range measures {
		fmt.Fprintf(os.Stderr, "  %-12s %s\n", m.name, m.about)
	}
	harness.Check(harness.ErrUsage)
}
