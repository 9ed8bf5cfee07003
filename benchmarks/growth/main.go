// Growth simulates a mailbox over years, and compares the size of its file with one made
// from the same content at once:
//
//	go run ./benchmarks/growth -messages 500000 -ledger digest -process daemon
//
// Messages are learned one by one or a few at a time; some are learned again, moved to
// the other class, or forgotten later, and from time to time rare terms are pruned,
// always by the ordinary calls and never with a Compact. Every so often the content is
// dumped and loaded into an empty file, and a backup of the file is compacted; the table
// that goes to standard output compares the sizes. Growth fails if the file is larger
// than -limit times the smaller of the two. "Copies" is how often the database has
// replaced its file by a smaller one, a prune included, and "largest" the greatest size
// of the file, both since the row before.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/polya-classifier/polya/store/count"
)

type options struct {
	messages, batch, every, prune, terms int
	seed                                 uint64
	ledger                               count.Ledger
	process, dir                         string
	limit                                float64
}

func main() {
	o := options{ledger: count.LedgerFull}
	flag.IntVar(&o.messages, "messages", 500_000, "learn `N` messages")
	flag.IntVar(&o.batch, "batch", 4, "learn up to `N` messages in a call")
	flag.IntVar(&o.every, "every", 0, "compare after each `N` messages; 0 is a tenth of all")
	flag.IntVar(&o.prune, "prune", 100_000, "drop the terms of one document after each `N` messages; 0 never")
	flag.IntVar(&o.terms, "terms", 1_000_000, "the vocabulary grows to `N` terms")
	flag.Uint64Var(&o.seed, "seed", 1, "draw the messages by `SEED`")
	flag.Func("ledger", "ledger `MODE` of the database: full, the default, digest or none", func(s string) (err error) {
		o.ledger, err = count.ParseLedger(s)
		return err
	})
	flag.StringVar(&o.process, "process", "daemon", "`KIND` of process: a daemon keeps the file open, oneshot opens and closes it for each call")
	flag.StringVar(&o.dir, "dir", "", "make the files in `DIR`; without it, in a temporary folder")
	flag.Float64Var(&o.limit, "limit", 1.5, "fail beyond `RATIO` times the size of a fresh load")
	flag.Parse()
	if flag.NArg() != 0 || o.messages < 1 || o.batch < 1 || o.terms < 1 || o.process != "daemon" && o.process != "oneshot" {
		flag.Usage()
		os.Exit(2)
	}
	if o.every <= 0 {
		o.every = max(o.messages/10, 1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := o.run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

func (o *options) run(ctx context.Context, w io.Writer) error {
	dir, err := os.MkdirTemp(o.dir, "growth-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := newMailbox(o, filepath.Join(dir, "mailbox.polya"))
	defer b.close()
	fmt.Fprintf(w, "Ledger mode %s, %s, calls of up to %d messages, seed %d.\n\n", o.ledger, o.process, o.batch, o.seed)
	fmt.Fprintln(w, "| messages | documents | terms | copies | of MB | largest MB | file MB | loaded MB | compacted MB | ratio |")
	fmt.Fprintln(w, "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	worst := 0.0
	for b.next < o.messages {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := b.step(ctx); err != nil {
			return err
		}
		if b.next >= o.messages || b.due(o.every) {
			row, err := b.compare(ctx, dir)
			if err != nil {
				return err
			}
			worst = max(worst, row.ratio())
			fmt.Fprintln(w, row)
		}
	}
	if err := b.close(); err != nil {
		return err
	}
	row, err := b.compare(ctx, dir)
	if err != nil {
		return err
	}
	worst = max(worst, row.ratio())
	fmt.Fprintln(w, row)
	fmt.Fprintf(w, "\nThe last row is after closing the file. %d moved, %d forgotten, %d learned again, %d refused because nothing knew their terms after a prune.\n",
		b.moved, b.forgotten, b.again, b.refused)
	fmt.Fprintf(w, "Longest call %v, longest close %v.\n", b.longestCall, b.longestClose)
	if worst > o.limit {
		return fmt.Errorf("the file grew to %.2f times a fresh load, more than %.2f", worst, o.limit)
	}
	return nil
}
