//go:build linux

// Fleet shows and measures the behaviour of three nodes of polya-fleet when faults occur
// while they are taught:
//
//	fleet [-n N] [-callers N] [-sync always|2m] [-fault WORD] [-for TIME] [-lasts TIME] [-loopback] [-keep] [-dir DIR] [-program PATH] [-plot FILE] [CORPUS]
//
// The nodes are processes with folders of their own, which are taught over HTTP, each by as many
// callers. A caller waits until a training is acknowledged; if it fails the caller retries with
// the next node, as a mail server does. Of 100 messages three are moved to another class
// afterwards, three forgotten, and two taught again, by another node than before. The N messages
// are divided among the faults; each fault happens after a quarter of its share was taught.
//
// After each fault all nodes must follow the log, hold the same by "polya-fleet verify", and
// answer a sample of messages with the same bytes, reasons included. In the end the ledger
// of each must have all acknowledged messages, and nothing else; their dumps must be equal;
// and their counts must equal those of a single database that learned the same messages.
//
// CORPUS is a folder of folders of messages, a class each; without it they are the sample mail
// of the repository. For root each node has a network namespace, so that cables can be pulled, and a node can
// get a disk of its own, which can be full; else these faults are left out.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/polya-classifier/polya/testdata"
)

// options of a run.
type options struct {
	n, callers, snapshot, sample int
	sync, dir, program, fault    string
	limit, lasts                 time.Duration
	keep, loopback               bool
}

func main() {
	log.SetFlags(0)
	var o options
	flag.IntVar(&o.n, "n", 20_000, "messages that are taught")
	flag.IntVar(&o.callers, "callers", 8, "callers at each node")
	flag.StringVar(&o.sync, "sync", "always", "when a node writes the log to its disk: always, or an interval")
	flag.StringVar(&o.fault, "fault", "", "only the faults with this in their names")
	flag.StringVar(&o.dir, "dir", "", "where the nodes have their folders, on the disk that is to be measured; $TMPDIR by default")
	flag.StringVar(&o.program, "program", "", "polya-fleet; built by default")
	flag.DurationVar(&o.limit, "for", time.Hour, "no further fault begins after that")
	flag.DurationVar(&o.lasts, "lasts", time.Hour, "no fault lasts longer, unless it has to")
	flag.BoolVar(&o.keep, "keep", false, "leave the folders of the nodes, and what they said")
	plot := flag.String("plot", "", "file for the plot, .svg or .png")
	flag.BoolVar(&o.loopback, "loopback", false, "have all nodes on loopback, also as root")
	flag.Parse()
	var corpus fs.FS
	if flag.NArg() > 0 {
		corpus = os.DirFS(flag.Arg(0))
	} else {
		corpus, _ = fs.Sub(testdata.Mail, "mail/train")
	}
	o.sample, o.snapshot = 100, max(100, o.n/80)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	scenarios, err := show(ctx, o, corpus, os.Stdout, os.Stderr)
	if err == nil && *plot != "" {
		err = draw(*plot, scenarios)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// show runs the faults, prints the table, and checks the result.
func show(ctx context.Context, o options, corpus fs.FS, out, progress io.Writer) (all []*scenario, err error) {
	messages, classes, err := readCorpus(corpus)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(o.dir, "fleet")
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return nil, err
	}
	if o.program == "" {
		if o.program, err = build(ctx, dir); err != nil {
			return nil, err
		}
	}
	f, err := newFleet(o, dir, messages, classes)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err = errors.Join(err, f.close()); err == nil && !o.keep {
			err = os.RemoveAll(dir)
		} else {
			fmt.Fprintln(progress, "what the nodes said is in", dir)
		}
	}()
	if err := f.begin(ctx); err != nil {
		return nil, err
	}
	var happen []fault
	for _, x := range faults {
		switch {
		case !strings.Contains(x.name, o.fault):
		case x.cable && !f.net.canCut(), x.disk && !canMount():
			say(progress, "left out, since it takes root: %s", x.name)
		default:
			happen = append(happen, x)
		}
	}
	shares := 0
	for _, x := range happen {
		shares += max(x.share, 1)
	}
	fmt.Fprint(out, head)
	began := time.Now()
	for _, x := range happen {
		if time.Since(began) > o.limit {
			say(progress, "left out, since time is up: %s", x.name)
			continue
		}
		x.lasts = min(x.lasts, o.lasts)
		s, err := f.run(ctx, x, o.n*max(x.share, 1)/shares, o.callers, progress)
		if err != nil {
			return all, err
		}
		fmt.Fprint(out, s.row())
		if err := f.check(ctx, o.sample); err != nil {
			return all, fmt.Errorf("%s: %w", x.name, err)
		}
		all = append(all, s)
	}
	return all, f.final(ctx, out)
}

// final checks the fleet when all is over.
func (f *fleet) final(ctx context.Context, out io.Writer) error {
	ledgers, err := f.ledgers(ctx)
	if err != nil {
		return err
	}
	dump, err := f.alone(ctx)
	if err == nil {
		fmt.Fprintf(out, "\n%d messages: entries of all ledgers %+v; equal answers; equal dumps, SHA-256 %.16s…; counts as of one that learned alone.\n", f.last.Load(), ledgers, dump)
	}
	return err
}
