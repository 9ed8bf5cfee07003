package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
)

func main() {
	spams := flag.Int("spams", 256, "how many spams are attacked with")
	program := flag.String("bogofilter", "", "measure this `PROGRAM` too")
	class := flag.String("class", "spam", "name of the folder of spam")
	text := flag.Bool("text", false, "the documents are plain text and not mail")
	flag.Parse()
	if flag.NArg() != 2 || *spams < 1 {
		fmt.Fprintln(os.Stderr, "usage: evasion [--spams N] [--class SPAM] [--text] [--bogofilter PROGRAM] TRAIN TEST")
		os.Exit(3)
	}
	c, err := readCorpus(flag.Arg(0), flag.Arg(1), *class, *text)
	if err == nil {
		err = run(context.Background(), os.Stdout, c, *spams, *program)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "evasion:", err)
		os.Exit(3)
	}
}

// run learns, attacks, and writes the table.
func run(ctx context.Context, w io.Writer, c *corpus, spams int, program string) error {
	dir, err := os.MkdirTemp("", "evasion-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, err := newPolya(ctx, dir, c)
	if err != nil {
		return err
	}
	defer p.close()
	filters := []filter{p, p.bySum()}
	if program != "" {
		b, err := newBogofilter(ctx, dir, program, c)
		if err != nil {
			return err
		}
		filters = append(filters, b)
	}
	attacked, err := caught(ctx, p.bySum(), c.spams, spams)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "attacked with %d of %d spams\n\n", len(attacked), len(c.spams))
	return table(ctx, w, filters, c, attacked)
}

// filter is a filter under attack.
type filter interface {
	name() string

	// ask returns an answer for each message.
	ask(ctx context.Context, messages [][]byte) ([]answer, error)
}

// answer is a filter's answer for one message.
type answer struct {
	spam, unsure bool
	score        float64 // the greater, the more like spam
}

// caught returns n of the messages that a filter calls spam, at even distances.
func caught(ctx context.Context, f filter, messages [][]byte, n int) ([][]byte, error) {
	answers, err := f.ask(ctx, messages)
	if err != nil {
		return nil, err
	}
	var all, some [][]byte
	for i, a := range answers {
		if a.spam && !a.unsure {
			all = append(all, messages[i])
		}
	}
	n = min(n, len(all))
	for i := range n {
		some = append(some, all[i*len(all)/n])
	}
	return some, nil
}

// table writes the answers to honest mail and to each attack.
func table(ctx context.Context, w io.Writer, filters []filter, c *corpus, attacked [][]byte) error {
	fmt.Fprintln(w, "| mail | filter | spam % | unsure % | ham % | quartiles of the score |\n| --- | --- | --- | --- | --- | --- |")
	row := func(name string, messages [][]byte) error {
		for _, f := range filters {
			answers, err := f.ask(ctx, messages)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "| %s | %s | %s |\n", name, f.name(), summary(answers))
		}
		return nil
	}
	if err := row("honest ham", c.hams); err != nil {
		return err
	}
	if err := row("honest spam", c.spams); err != nil {
		return err
	}
	for _, a := range attacks(c) {
		changed := make([][]byte, len(attacked))
		for i, m := range attacked {
			changed[i] = a.change(i, m)
		}
		if err := row(a.name, changed); err != nil {
			return err
		}
	}
	return nil
}

// summary returns the cells of one row.
func summary(answers []answer) string {
	spam, unsure, scores := 0, 0, []float64(nil)
	for _, a := range answers {
		switch {
		case a.unsure:
			unsure++
		case a.spam:
			spam++
		}
		scores = append(scores, a.score)
	}
	n := max(len(answers), 1)
	share := func(k int) float64 { return 100 * float64(k) / float64(n) }
	return fmt.Sprintf("%.1f | %.1f | %.1f | %s", share(spam), share(unsure), share(n-spam-unsure), quartiles(scores))
}

// quartiles returns the three quartiles as text.
func quartiles(x []float64) string {
	if len(x) == 0 {
		return ""
	}
	slices.Sort(x)
	return fmt.Sprintf("%.1f, %.1f, %.1f", x[len(x)/4], x[len(x)/2], x[3*len(x)/4])
}
