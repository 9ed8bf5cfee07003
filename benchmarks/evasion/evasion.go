// Package evasion measures how many spams get past polya when their sender adds words of
// honest mail to them.
//
// Each attack is tried on the same spams of TEST whose most probable class by polya is
// spam before the attack. The good words are those that discriminate best between the ham
// and the spam of TEST: the attacker knows mail like the victim's, but not the victim's
// training mail.
//
// Polya answers twice: as a filter does, and with its most probable class, which the sum of
// all terms decides. The scores, of which the table has the quartiles, are log-odds of spam
// for polya, and bogofilter's spamicity. The first rows are the honest mail of TEST.
package evasion

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/benchmarks/peers"
	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/mail"
)

// corpus holds the documents that are learned, and those that are asked about.
type corpus struct {
	learned     []harness.Document
	hams, spams [][]byte // asked about
}

// Run is the measure.
func Run(ctx context.Context, args []string) {
	f := harness.Flags("evasion [flags] TRAIN TEST")
	spams := f.Int("spams", 256, "attack with `N` spams")
	dirs := harness.Parse(f, args, 2, 2)
	table(ctx, os.Stdout, newCorpus(dirs[0], dirs[1]), *spams)
}

// spam is the class that the sender wants to evade.
const spam = "spam"

func newCorpus(train, test string) *corpus {
	c := &corpus{learned: harness.Folders(train)}
	for _, d := range harness.Folders(test) {
		if d.Class == spam {
			c.spams = append(c.spams, d.Raw)
		} else {
			c.hams = append(c.hams, d.Raw)
		}
	}
	if len(harness.Of(c.learned, spam)) == 0 || len(c.spams) == 0 {
		harness.Failf("%s, %s: want a folder %s with documents in each", train, test, spam)
	}
	return c
}

// filter is a filter under attack.
type filter struct {
	name string
	ask  func(messages [][]byte) []harness.Verdict
}

// table learns, attacks, and writes the answers to honest mail and to each attack.
func table(ctx context.Context, w io.Writer, c *corpus, spams int) {
	p := harness.Memory(decision.Filter{Positive: spam})
	defer p.Close()
	harness.Learn(p, c.learned, func(d harness.Document) (string, classify.Document) { return d.Class, mail.Document(p, d.Raw) })
	bySum := filter{"polya, sum of terms", func(messages [][]byte) []harness.Verdict { return polya(p, messages, true) }}
	filters := []filter{{"polya", func(messages [][]byte) []harness.Verdict { return polya(p, messages, false) }}, bySum}
	if b := peers.Bogofilter(ctx, c.learned); b != nil {
		defer b.Close()
		filters = append(filters, filter{"bogofilter", b.Ask})
	}
	var caught [][]byte
	for i, v := range bySum.ask(c.spams) {
		if v.Spam {
			caught = append(caught, c.spams[i])
		}
	}
	attacked := harness.Sampled(caught, spams)
	fmt.Fprintf(w, "attacked with %d of %d spams\n\n", len(attacked), len(c.spams))
	fmt.Fprintln(w, "| mail | filter | spam % | unsure % | ham % | quartiles of the score |\n| --- | --- | --- | --- | --- | --- |")
	row := func(name string, messages [][]byte) {
		for _, f := range filters {
			fmt.Fprintf(w, "| %s | %s | %s |\n", name, f.name, summary(f.ask(messages)))
		}
	}
	row("honest ham", c.hams)
	row("honest spam", c.spams)
	for _, a := range attacks(c) {
		changed := make([][]byte, len(attacked))
		for i, m := range attacked {
			changed[i] = a.change(i, m)
		}
		row(a.name, changed)
	}
}

// polya answers as a filter does or, by the sum of all terms, with the most probable class.
func polya(p *classify.Classifier, messages [][]byte, sum bool) (verdicts []harness.Verdict) {
	for _, raw := range messages {
		r := harness.Must(p.Classify(context.Background(), mail.Document(p, raw)))
		v := harness.Verdict{Spam: r.Class == spam, Unsure: r.Unsure}
		if sum {
			v = harness.Verdict{Spam: r.Posterior[0].Class == spam}
		}
		for _, q := range r.Posterior {
			if q.Class == spam {
				v.Score = q.LogOdds
			}
		}
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// summary returns the cells of one row.
func summary(verdicts []harness.Verdict) string {
	var t harness.Tally
	var scores []float64
	for _, v := range verdicts {
		t.Add(v.Spam, v.Unsure)
		scores = append(scores, v.Score)
	}
	share := func(k int) float64 { return 100 * float64(k) / float64(max(len(verdicts), 1)) }
	return fmt.Sprintf("%.1f | %.1f | %.1f | %.1f, %.1f, %.1f", share(t.Yes), share(t.Unsure), share(t.No),
		harness.Quantile(scores, .25), harness.Median(scores), harness.Quantile(scores, .75))
}
