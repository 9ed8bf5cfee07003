//go:build linux && (amd64 || arm64)

// Scale measures how polya's costs grow with the corpus, up to a million documents and
// five million terms:
//
//	go run ./benchmarks/scale -documents 1e6 -terms 5e6 -classes 20,100 -dir DIR
//
// For corpora of 10,000 documents and ten times as many each, up to -documents, and for
// each number of classes, it trains a database with documents drawn by package zipf, in
// large batches, then opens it, trains single documents durably, looks terms up with a
// warm and a cold page cache, and scores documents. It also measures, in the same run,
// lower bounds of the times. A table in Markdown goes to standard output, a plot to the
// file given with -plot. It needs Linux, and a DIR on a disk: in memory there is no cold
// cache and no sync.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"strings"
	"syscall"

	"github.com/polya-classifier/polya/store/count"
)

type options struct {
	documents, terms, batch int
	classes                 []int
	ledger                  count.Ledger
	dir, plot, profile      string
	seed                    uint64
}

func main() {
	o := options{documents: 100_000, terms: 5_000_000, classes: []int{20, 100}, ledger: count.LedgerDigest}
	flag.Func("documents", "the largest corpus has `N` documents; 1e5 by default", number(&o.documents))
	flag.Func("terms", "the vocabulary grows to `N` terms; 5e6 by default", number(&o.terms))
	flag.IntVar(&o.batch, "batch", 20_000, "learn `N` documents in a transaction")
	flag.Func("classes", "numbers of classes, `LIST` with commas; 20,100 by default", func(s string) error {
		o.classes = nil
		for field := range strings.SplitSeq(s, ",") {
			n, err := strconv.Atoi(field)
			if err != nil || n < 1 || n > 1000 {
				return fmt.Errorf("want numbers from 1 to 1000")
			}
			o.classes = append(o.classes, n)
		}
		return nil
	})
	flag.Func("ledger", "ledger `MODE`: full, digest, the default, or none", func(s string) (err error) {
		o.ledger, err = count.ParseLedger(s)
		return err
	})
	flag.StringVar(&o.dir, "dir", "", "make the files in `DIR`; without it, in a temporary folder")
	flag.StringVar(&o.plot, "plot", "", "write a plot to `FILE`, .svg, .png or .pdf")
	flag.StringVar(&o.profile, "profile", "", "write a CPU profile to `FILE`")
	flag.Uint64Var(&o.seed, "seed", 1, "draw the documents by `SEED`")
	flag.Parse()
	if flag.NArg() != 0 || o.documents < 1000 || o.batch < 1 || o.terms < 1000 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := o.run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

// number reads a whole number, which may be written as 1e6.
func number(into *int) func(string) error {
	return func(s string) error {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || f < 1 || f > 1e9 {
			return fmt.Errorf("want a number from 1 to 1e9")
		}
		*into = int(f)
		return nil
	}
}

// sizes are the numbers of documents to measure.
func (o *options) sizes() []int {
	var list []int
	for n := 10_000; n < o.documents; n *= 10 {
		list = append(list, n)
	}
	return append(list, o.documents)
}

func (o *options) run(ctx context.Context, w io.Writer) error {
	if o.profile != "" {
		f, err := os.Create(o.profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	dir, err := os.MkdirTemp(o.dir, "scale-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var all []result
	for _, classes := range o.classes {
		for _, n := range o.sizes() {
			m := measurement{options: o, result: result{documents: n, classes: classes}, path: filepath.Join(dir, "scale.polya")}
			if err := m.run(ctx); err != nil {
				writeTables(w, all)
				return fmt.Errorf("%d documents, %d classes: %w", n, classes, err)
			}
			all = append(all, m.result)
			fmt.Fprintf(os.Stderr, "%d documents, %d classes: %.0f documents a CPU second, %.1f MB\n", n, classes, m.learned, m.fileMB)
		}
	}
	writeTables(w, all)
	if o.plot == "" {
		return nil
	}
	return drawAll(o.plot, all)
}
