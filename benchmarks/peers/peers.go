//go:build linux

// Package peers measures polya beside the classifiers and spam filters that Debian
// packages, all over the same messages in the same run.
//
// In each of several rounds every peer in turn gets an empty database in a home of its own,
// learns one half of the corpus, classifies the other, and then classifies and learns
// single messages by a process each. Time is CPU time, user and system, of the processes
// with the children they waited for (wait4), or of a daemon and its children (/proc).
package peers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

// Run is the measure.
func Run(ctx context.Context, args []string) {
	f := harness.Flags("peers [flags] CORPUS (with the folders ham and spam)")
	names := f.String("peers", "", "measure only these, `NAMES` with commas between")
	rounds := f.Int("rounds", 3, "measure each peer `N` times")
	sample := f.Int("sample", 50, "`N` single messages in each round")
	timeout := f.Duration("timeout", 20*time.Minute, "give up a process after this time")
	docs := harness.Folders(harness.Parse(f, args, 1, 1)[0])
	if !slices.Equal(harness.Classes(docs), classes) {
		harness.Failf("the folders are %q: peers takes a corpus with the folders ham and spam", harness.Classes(docs))
	}
	scratch, remove := harness.Scratch("")
	defer remove()
	chosen := choose(all(harness.Build(scratch, "cmd/polya"), harness.Build(scratch, harness.DaemonCommand)), *names)
	b := &bench{root: scratch, sample: *sample, timeout: *timeout}
	b.train, b.test = harness.Halves(docs)
	copyTo(filepath.Join(scratch, "train"), b.train) // so that all read the same file system
	copyTo(filepath.Join(scratch, "test"), b.test)
	var results []*result
	for _, p := range chosen {
		results = append(results, &result{peer: p, absent: p.missing()})
	}
	for i := range *rounds {
		b.round(ctx, nil, &b.floor)
		for _, r := range results { // in turns, so that other load on the machine affects all
			if r.failed != nil || r.absent != "" || ctx.Err() != nil {
				continue
			}
			fmt.Fprintf(os.Stderr, "round %d of %d: %s\n", i+1, *rounds, r.peer.name)
			if err := harness.Try(func() { b.round(ctx, r, nil) }); ctx.Err() == nil {
				r.failed = err
			}
		}
	}
	b.report(results)
}

// all lists all peers, in the order of the table.
func all(polya, polyad string) []*peer {
	return []*peer{polyaPeer("polya", polya, "full"), polyaPeer("polya-digest", polya, "digest"), polyadPeer(polya, polyad), bogofilter(), rspamd(), spamassassin()}
}

// choose returns the peers of the names, all without any.
func choose(all []*peer, names string) (chosen []*peer) {
	for _, p := range all {
		if names == "" || slices.Contains(strings.Split(names, ","), p.name) {
			chosen = append(chosen, p)
		}
	}
	if names != "" && len(chosen) < len(strings.Split(names, ",")) {
		harness.Failf("of the peers %s only %d are known", names, len(chosen))
	}
	return chosen
}

// copyTo writes documents to DIR/CLASS/NAME, and makes that their paths.
func copyTo(dir string, docs []harness.Document) {
	for i := range docs {
		d := &docs[i]
		d.Path = filepath.Join(dir, d.Class, d.Name())
		harness.Write(d.Path, string(d.Raw))
	}
}

// missing returns a program that the peer needs and that is not installed.
func (p *peer) missing() string {
	for _, program := range p.programs {
		if _, err := exec.LookPath(program); err != nil {
			return program
		}
	}
	return ""
}
