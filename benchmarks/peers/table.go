//go:build linux

package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// A report holds the data of the tables.
type report struct {
	corpus  *corpus
	results []*result
	floor   latency
	absent  []string
	rounds  int // that were asked for
}

func (r report) write(w io.Writer) error {
	var b strings.Builder
	train, test := r.corpus.train, r.corpus.test
	fmt.Fprintf(&b, "Learned %d messages (%.1f MB, %d spam), asked about %d (%.1f MB, %d spam); rounds: %s, medians.\n",
		len(train), megabytes(train), len(of(train, "spam")), len(test), megabytes(test), len(of(test, "spam")), r.turns())
	r.bulk(&b)
	r.accuracy(&b)
	r.single(&b)
	r.daemons(&b)
	r.ratios(&b)
	r.notes(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// turns says how many rounds the peers completed: some perhaps one less than others.
func (r report) turns() string {
	least, most := r.rounds, 0
	for _, one := range r.measured() {
		least, most = min(least, one.rounds), max(most, one.rounds)
	}
	if least < most {
		return fmt.Sprintf("%d or %d", least, most)
	}
	return strconv.Itoa(most)
}

// measured returns the peers that completed at least one round.
func (r report) measured() []*result {
	var list []*result
	for _, one := range r.results {
		if one.rounds > 0 {
			list = append(list, one)
		}
	}
	return list
}

func (r report) bulk(b *strings.Builder) {
	heading(b, "All messages at once", "peer", "learned a CPU s", "MB a CPU s", "classified a CPU s", "MB a CPU s", "peak memory MB", "database MB")
	for _, one := range r.measured() {
		learn, ask := median(one.train), median(one.classify)
		row(b, one.peer.name,
			number(float64(len(r.corpus.train))/learn, 0), number(megabytes(r.corpus.train)/learn, 1),
			number(float64(len(r.corpus.test))/ask, 0), number(megabytes(r.corpus.test)/ask, 1),
			number(float64(one.memory)/1e6, 0), number(float64(one.size)/1e6, 1))
	}
}

func (r report) accuracy(b *strings.Builder) {
	heading(b, "Answers", "peer", "error %", "false positives %", "false negatives %", "1-ROCA %")
	for _, one := range r.measured() {
		a := one.accuracy
		row(b, one.peer.name, number(a.err, 2), number(a.falsePositives, 2), number(a.falseNegatives, 2), number(a.above, 3))
	}
}

func (r report) single(b *strings.Builder) {
	heading(b, "One message, its own process (ms)", "peer", "classify: CPU", "wall", "wall p95", "learn: CPU", "wall", "wall p95")
	row(b, append([]string{"(`true`)"}, r.floor.cells("–", "–", "–")...)...)
	for _, one := range r.measured() {
		row(b, append([]string{one.peer.name}, one.ask.cells(one.learn.cells()...)...)...)
	}
}

func (r report) daemons(b *strings.Builder) {
	first := true
	for _, one := range r.measured() {
		if one.peer.serve == nil {
			continue
		}
		if first {
			heading(b, "One message, asked of the daemon (ms; CPU: mean)", "peer", "classify: CPU", "wall", "wall p95", "learn: CPU", "wall", "wall p95")
		}
		first = false
		row(b, append([]string{one.peer.name}, one.served.cells(one.told.cells()...)...)...)
	}
}

// ratios writes the CPU times of the others in multiples of the first peer's.
func (r report) ratios(b *strings.Builder) {
	list := r.measured()
	if len(list) < 2 {
		return
	}
	first := list[0]
	heading(b, "CPU time in multiples of that of "+first.peer.name, "peer", "learning all", "classifying all", "classifying one", "learning one")
	for _, one := range list[1:] {
		row(b, one.peer.name,
			number(median(one.train)/median(first.train), 2), number(median(one.classify)/median(first.classify), 2),
			number(median(one.ask.cpu)/median(first.ask.cpu), 2), number(median(one.learn.cpu)/median(first.learn.cpu), 2))
	}
}

func (r report) notes(b *strings.Builder) {
	b.WriteString("\n")
	for _, one := range r.measured() {
		fmt.Fprintf(b, "- %s: %s\n", one.peer.name, one.peer.note)
	}
	for _, one := range r.results {
		switch {
		case one.failed != nil:
			fmt.Fprintf(b, "- %s failed in round %d: %v\n", one.peer.name, one.rounds+1, one.failed)
		case one.rounds == 0:
			fmt.Fprintf(b, "- %s: no round was finished\n", one.peer.name)
		}
	}
	if len(r.absent) > 0 {
		fmt.Fprintf(b, "- Left out, as not installed: %s\n", strings.Join(r.absent, ", "))
	}
}

// cells returns median CPU, median wall and 95 % wall time, followed by more cells.
func (l latency) cells(more ...string) []string {
	return append([]string{number(median(l.cpu), 1), number(median(l.wall), 1), number(quantile(l.wall, .95), 1)}, more...)
}

func heading(b *strings.Builder, title string, columns ...string) {
	fmt.Fprintf(b, "\n%s\n\n", title)
	row(b, columns...)
	b.WriteString("|" + strings.Repeat(" --- |", len(columns)) + "\n")
}

func row(b *strings.Builder, cells ...string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// number writes x with so many decimals, or a dash if it was not measured.
func number(x float64, decimals int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "–"
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}
