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

var measures = harness.Measures{
	{Name: "peers", About: "processes, bulk and daemons beside the filters that Debian packages", Run: peers.Run},
	{Name: "accuracy", About: "accuracy beside scikit-learn and bogofilter", Run: accuracy.Run},
	{Name: "tags", About: "several tags a document, beside scikit-learn", Run: tags.Run},
	{Name: "newsgroups", About: "answers in memory beside scikit-learn", Run: newsgroups.Run},
	{Name: "trainings", About: "single trainings, each on disk", Run: trainings.Run},
	{Name: "contention", About: "many processes on one database", Run: contention.Run},
	{Name: "load", About: "latency and memory of a daemon under load", Run: load.Run},
	{Name: "decisions", About: "wrong labels, folders, users of their own", Run: decisions.Run},
	{Name: "evasion", About: "spam with words of honest mail added, and written so that filters read other words", Run: evasion.Run},
	{Name: "crash", About: "power failures and kills", Run: crash.Run},
	{Name: "rot", About: "damaged files", Run: rot.Run},
	{Name: "bombs", About: "hostile input", Run: bombs.Run},
}

func main() {
	crash.Child()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := harness.Try(func() { measures.Run(ctx, "", os.Args[1:]) }); {
	case errors.Is(err, harness.ErrUsage):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
