//go:build linux

// Peers measures polya beside the classifiers and spam filters that Debian packages, all
// over the same messages in the same run:
//
//	go run ./benchmarks/peers --install CORPUS
//
// CORPUS is a folder of mail, CORPUS/ham/NAME and CORPUS/spam/NAME. The corpus is split
// by names (protocol halves of benchmarks/accuracy/corpora.py). In each of several rounds
// every peer in turn gets an empty database in a separate home, learns one half,
// classifies the other, and then classifies and learns single messages by a process each.
// Tables in markdown go to standard output.
//
// Time is CPU time, user and system, of the processes with the children they waited for
// (wait4), or of a daemon and its children (/proc); medians over the rounds. It needs Linux.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const usage = `usage: peers [flags] CORPUS

CORPUS has the folders ham and spam with one message a file, as in CORPORA/spamassassin/all.

Flags:
`

type options struct {
	install        bool
	peers, polya   string
	rounds, sample int
	timeout        time.Duration
}

func main() {
	var o options
	flag.BoolVar(&o.install, "install", false, "install the Debian packages of peers that are missing, by apt-get")
	flag.StringVar(&o.peers, "peers", "", "measure only these, `NAMES` with commas between")
	flag.IntVar(&o.rounds, "rounds", 3, "measure each peer `N` times")
	flag.IntVar(&o.sample, "sample", 50, "`N` single messages in each round")
	flag.StringVar(&o.polya, "polya", "", "`PATH` of the command polya; without it, it is built")
	flag.DurationVar(&o.timeout, "timeout", 20*time.Minute, "give up a process after this time")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 || o.rounds < 1 || o.sample < 1 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := o.run(ctx, flag.Arg(0), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// run measures the corpus at folder and writes the tables to w.
func (o options) run(ctx context.Context, folder string, w io.Writer) error {
	scratch, err := os.MkdirTemp("", "peers-corpus-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if o.polya, err = builtPolya(ctx, o.polya, scratch); err != nil {
		return err
	}
	chosen, err := choose(peers(o.polya), o.peers)
	if err != nil {
		return err
	}
	if o.install {
		if err := install(ctx, chosen); err != nil {
			return err
		}
	}
	c, err := cut(folder, scratch)
	if err != nil {
		return err
	}
	b := &bench{corpus: c, sample: o.sample, timeout: o.timeout}
	var present []*result
	var absent []string
	for _, p := range chosen {
		if missing := p.missing(ctx); missing != "" {
			absent = append(absent, p.name+" (no "+missing+")")
			continue
		}
		present = append(present, &result{peer: p})
	}
	var floor latency
	if err := b.rounds(ctx, o.rounds, present, &floor); err != nil {
		return err
	}
	return report{corpus: c, results: present, floor: floor, absent: absent, rounds: o.rounds}.write(w)
}

// rounds lets the peers take turns, so that other load on the machine affects all. A peer
// that fails once is left out of the rounds that follow.
func (b *bench) rounds(ctx context.Context, n int, results []*result, floor *latency) error {
	for i := range n {
		if err := b.floor(ctx, floor); err != nil && ctx.Err() == nil {
			return err
		}
		for _, r := range results {
			if r.failed != nil {
				continue
			}
			fmt.Fprintf(os.Stderr, "round %d of %d: %s\n", i+1, n, r.peer.name)
			if err := b.round(ctx, r); err != nil {
				if ctx.Err() != nil {
					fmt.Fprintln(os.Stderr, "interrupted: the tables are of the rounds so far")
					return nil
				}
				fmt.Fprintf(os.Stderr, "%s: %v\n", r.peer.name, err)
				r.failed = err
			}
		}
	}
	return nil
}

// builtPolya returns the absolute path of the command polya, built into scratch if none is named.
func builtPolya(ctx context.Context, polya, scratch string) (string, error) {
	if polya != "" {
		return filepath.Abs(polya)
	}
	path := filepath.Join(scratch, "polya")
	build := exec.CommandContext(ctx, "go", "build", "-o", path, "github.com/polya-classifier/polya/cmd/polya")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("building polya: %w (run this in its repository, or name one by --polya)", err)
	}
	return path, nil
}

// choose returns the peers of the names, all without any.
func choose(all []*peer, names string) ([]*peer, error) {
	if names == "" {
		return all, nil
	}
	var chosen []*peer
	for _, name := range strings.Split(names, ",") {
		i := slices.IndexFunc(all, func(p *peer) bool { return p.name == name })
		if i < 0 {
			var known []string
			for _, p := range all {
				known = append(known, p.name)
			}
			return nil, fmt.Errorf("no peer is called %q: there are %s", name, strings.Join(known, ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}
