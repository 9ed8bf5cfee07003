package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/polya-classifier/polya/benchmarks/rot/trial"
)

// counts are the trials of one kind by result.
type counts struct{ trials, open, read, check, unaffected, older, silent, panics, hangs, other int }

// table counts trials.
type table struct {
	mu    sync.Mutex
	kinds map[string]*counts
	bad   []line
}

func newTable() *table { return &table{kinds: make(map[string]*counts)} }

func (t *table) add(l line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.kinds[l.Kind]
	if c == nil {
		c = new(counts)
		t.kinds[l.Kind] = c
	}
	c.trials++
	if l.Bad != "" {
		t.bad = append(t.bad, l)
		fmt.Fprintf(os.Stderr, "trial %d, %s, %s%s\n", l.Trial, l.Kind, l.What, l.Bad)
	}
	switch {
	case strings.HasPrefix(l.Bad, "silent"):
		c.silent++
	case strings.HasPrefix(l.Bad, "panic"), strings.HasPrefix(l.Bad, "the process died"):
		c.panics++
	case strings.HasPrefix(l.Bad, "hang"):
		c.hangs++
	case l.Bad != "":
		c.other++
	case l.Reported == "open":
		c.open++
	case l.Reported == "read":
		c.read++
	case l.Reported == "check":
		c.check++
	case l.Older:
		c.older++
	default:
		c.unaffected++
	}
}

func (t *table) trials() (n int) {
	for _, c := range t.kinds {
		n += c.trials
	}
	return n
}

func (t *table) failed() bool { return len(t.bad) > 0 }

// print writes the table and then every trial that failed.
func (t *table) print(w io.Writer) {
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(columns, "damage\ttrials\tat open\tby a read\tby check\tunaffected\tan earlier state\tsilent\tpanics\thangs\tother\t")
	var sum counts
	for _, kind := range append(trial.Kinds(), "?") {
		c := t.kinds[kind]
		if c == nil {
			continue
		}
		row(columns, kind, c)
		sum = counts{sum.trials + c.trials, sum.open + c.open, sum.read + c.read, sum.check + c.check, sum.unaffected + c.unaffected,
			sum.older + c.older, sum.silent + c.silent, sum.panics + c.panics, sum.hangs + c.hangs, sum.other + c.other}
	}
	row(columns, "all", &sum)
	columns.Flush()
	for _, l := range t.bad {
		fmt.Fprintf(w, "trial %d, %s, %s%s\n", l.Trial, l.Kind, l.What, l.Bad)
	}
}

func row(w io.Writer, kind string, c *counts) {
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", kind, c.trials, c.open, c.read, c.check, c.unaffected, c.older, c.silent, c.panics, c.hangs, c.other)
}
