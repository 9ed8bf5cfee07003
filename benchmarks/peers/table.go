//go:build linux

package peers

import (
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/classify/eval"
)

// accuracy returns the error, false positives and false negatives in percent, and the area
// above the ROC curve. Unsure is not spam.
func accuracy(answers []harness.Verdict, docs []harness.Document) [4]string {
	if len(answers) != len(docs) {
		harness.Failf("%d answers to %d documents", len(answers), len(docs))
	}
	r := &eval.Results{Classes: classes}
	for i, d := range docs {
		said, score := "ham", answers[i].Score
		if answers[i].Spam && !answers[i].Unsure {
			said = "spam"
		}
		harness.Check(r.Add(eval.Answer{Class: slices.Index(classes, d.Class), Said: slices.Index(classes, said), Posterior: []float64{.5, .5}, LogOdds: []float64{-score, score}}))
	}
	c := r.Confusion()
	missed := func(share float64) string { return harness.Number(100*(1-share), 2) }
	return [4]string{missed(c.Accuracy()), missed(c.Of(0).Recall()), missed(c.Of(1).Recall()), harness.Number(r.ROC(1).OneMinusROCAPercent(), 3)}
}

// report prints the tables.
func (b *bench) report(results []*result) {
	fmt.Printf("Learned %d messages (%.1f MB, %d spam), asked about %d (%.1f MB, %d spam); medians. Load average %s\n",
		len(b.train), harness.Megabytes(b.train), len(harness.Of(b.train, "spam")), len(b.test), harness.Megabytes(b.test), len(harness.Of(b.test, "spam")), harness.Load())
	var done []*result
	for _, r := range results {
		if len(r.train) > 0 {
			done = append(done, r)
		}
	}
	harness.Head("all messages at once", "rounds", "learned a CPU s", "classified a CPU s", "peak memory MB", "database MB", "error %", "false positives %", "false negatives %", "1-ROCA %")
	for _, r := range done {
		a := r.accuracy
		harness.Row(r.peer.name, len(r.train), harness.Number(float64(len(b.train))/harness.Median(r.train), 0), harness.Number(float64(len(b.test))/harness.Median(r.classify), 0),
			harness.Number(float64(r.memory)/1e6, 0), harness.Number(float64(r.size)/1e6, 1), a[0], a[1], a[2], a[3])
	}
	one := func(title string, of func(*result) (ask, tell latency)) {
		harness.Head(title, "classify: CPU ms", "wall", "wall p95", "learn: CPU ms", "wall", "wall p95")
		for _, r := range append([]*result{{peer: &peer{name: "(true)"}, ask: b.floor}}, done...) {
			if ask, tell := of(r); len(ask.cpu)+len(tell.cpu) > 0 {
				harness.Row(append(append([]any{r.peer.name}, ask.cells()...), tell.cells()...)...)
			}
		}
	}
	one("one message, a process", func(r *result) (latency, latency) { return r.ask, r.learn })
	one("one message, by the daemon", func(r *result) (latency, latency) { return r.served, r.told })
	harness.Head("CPU time in multiples of the first's", "learning all", "classifying all", "classifying one", "learning one")
	for _, r := range done[min(1, len(done)):] {
		times := func(x, first []float64) string { return harness.Number(harness.Median(x)/harness.Median(first), 2) }
		harness.Row(r.peer.name, times(r.train, done[0].train), times(r.classify, done[0].classify), times(r.ask.cpu, done[0].ask.cpu), times(r.learn.cpu, done[0].learn.cpu))
	}
	fmt.Println()
	for _, r := range results {
		switch {
		case r.absent != "":
			fmt.Printf("- %s is left out: no %s\n", r.peer.name, r.absent)
		case r.failed != nil:
			fmt.Printf("- %s failed: %v\n", r.peer.name, r.failed)
		default:
			fmt.Printf("- %s: %s\n", r.peer.name, r.peer.note)
		}
	}
}

// cells are the median CPU, the median wall and the 95 % wall time.
func (l latency) cells() []any {
	return []any{harness.Number(harness.Median(l.cpu), 1), harness.Number(harness.Median(l.wall), 1), harness.Number(harness.Quantile(l.wall, .95), 1)}
}
