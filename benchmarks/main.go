// Benchmarks measures polya: go run ./benchmarks MEASURE [flags] [CORPUS…]. README.md says
// what came of it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/polya-classifier/polya/benchmarks/auto"
	"github.com/polya-classifier/polya/benchmarks/bombs"
	"github.com/polya-classifier/polya/benchmarks/contention"
	"github.com/polya-classifier/polya/benchmarks/crash"
	"github.com/polya-classifier/polya/benchmarks/decisions"
	"github.com/polya-classifier/polya/benchmarks/evasion"
	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/benchmarks/rot"
	"github.com/polya-classifier/polya/benchmarks/tags"
	"github.com/polya-classifier/polya/benchmarks/users"
)

// measure is one of the measures.
type measure struct {
	name, about string
	run         func(ctx context.Context, args []string)
}

// measures are those that need no Linux; others put themselves before them.
var measures = []measure{
	{"contention", "many processes on one database", contention.Run},
	{"tags", "several tags a document, beside scikit-learn", tags.Run},
	{"evasion", "spam with words of honest mail added", evasion.Run},
	{"decisions", "what is made of the ranking: wrong labels, few documents, many folders", decisions.Run},
	{"users", "a user's own database over a shared one", users.Run},
	{"auto", "learning of its own sure answers", auto.Run},
	{"crash", "power failures and kills", crash.Run},
	{"rot", "damaged files", rot.Run},
	{"bombs", "hostile input", bombs.Run},
}

func main() {
	crash.Child()
	all := measures
	i := -1
	if len(os.Args) > 1 {
		i = slices.IndexFunc(all, func(m measure) bool { return m.name == os.Args[1] })
	}
	if i < 0 {
		fmt.Fprintln(os.Stderr, "usage: go run ./benchmarks MEASURE [flags] [CORPUS…]; MEASURE -h tells more")
		for _, m := range all {
			fmt.Fprintf(os.Stderr, "  %-12s %s\n", m.name, m.about)
		}
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := harness.Try(func() { all[i].run(ctx, os.Args[2:]) }); {
	case errors.Is(err, harness.ErrUsage):
		os.Exit(2)
	case err != nil:
		fmt.Fprintf(os.Stderr, "%s: %v\n", all[i].name, err)
		os.Exit(1)
	}
}
