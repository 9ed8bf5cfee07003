package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/cmd/internal/evaluation"
	"github.com/polya-classifier/polya/cmd/internal/holdings"
	"github.com/polya-classifier/polya/cmd/internal/outfile"
	"github.com/polya-classifier/polya/cmd/internal/plots"
	"github.com/polya-classifier/polya/cmd/internal/report"
	"github.com/polya-classifier/polya/cmd/internal/sample"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/tokenize"
)

type evalFlags struct {
	deciding
	selecting
	screening
	pathFlags
	attributeFlags
	sample.Sampling
	models          []string
	folds           int
	raw             bool
	positive, fpr   string
	curve, logistic bool
	variance        float64
	terms           int
	answers, html   string
	force, json     bool
	analyzer        string
	hasFolds        bool
	eventModels     []classify.Model
	rates           []float64
	decision        decision.Decision
	abstain         decision.Abstain
	selection       classify.Selection
	read            classify.Options // how attributes are read
}

func evalCommand(p *program) *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use:   "eval --train PATH --test PATH | eval --folds K PATH… | eval --prequential PATH…",
		Short: "measure how well documents are classified",
		Example: `    polya eval --train mail/2025 --test mail/2026 --html report.html
    polya eval --folds 10 --logistic corpus/
    polya eval --prequential --by-date --fpr 0.1%,1% corpus/`,
		RunE: func(cmd *cobra.Command, args []string) error { return p.eval(cmd, &f, args) },
	}
	f.flags(cmd)
	return cmd
}

func (f *evalFlags) flags(cmd *cobra.Command) {
	s := cmd.Flags()
	s.StringArrayVar(&f.Train, "train", nil, "learn the documents at `PATH`")
	s.StringArrayVar(&f.Test, "test", nil, "classify the documents at `PATH`")
	s.IntVar(&f.folds, "folds", 0, "in turns, classify one of `K` parts and learn the others")
	s.BoolVar(&f.Prequential, "prequential", false, "classify each document, then learn it")
	s.BoolVar(&f.Folders, "folders", false, "each folder in PATH is a class (default if PATH is a folder)")
	s.BoolVar(&f.Labelled, "labelled", false, "each document states its class")
	s.StringVar(&f.Order, "order", "", "with --prequential: take documents in the order of the lines of `FILE`")
	s.Uint64Var(&f.Shuffle, "shuffle", 0, "with --prequential: take documents in the order of a hash of `SEED` and\nname")
	s.BoolVar(&f.ByDate, "by-date", false, "with --prequential: take documents in order of their dates")
	s.StringArrayVar(&f.models, "models", []string{"all"}, fmt.Sprintf("event `MODELS`, as in auto,dcm; 'polya help models' lists them\n(default all: %s)", strings.Join(modelNames(), ", ")))
	s.Lookup("models").DefValue = "[]" // the help says it in words
	s.BoolVar(&f.raw, "raw", false, "use the event models' probabilities, not calibrated")
	s.BoolVar(&f.logistic, "logistic", false, "with --train or --folds: compare with logistic regression")
	s.Float64Var(&f.variance, "variance", 0, "with --logistic: variance of its prior, `V` (default chosen on the\ndocuments to learn)")
	s.BoolVar(&f.curve, "curve", false, "with --train: test growing parts of the documents to learn")
	s.StringVar(&f.positive, "positive", "", "`CLASS` to look for")
	s.StringVar(&f.fpr, "fpr", "0.1%,1%", "false-positive rates at which to print the share missed, `RATES`")
	f.deciding.flags(cmd)
	f.selecting.flags(cmd)
	f.screening.flags(cmd)
	s.IntVar(&f.terms, "terms", 10, "list `N` terms of each class")
	s.Uint64Var(&f.Seed, "seed", 1, "`SEED` of folds, curve and intervals")
	s.StringVar(&f.answers, "answers", "", "write the answers to `FILE`, as JSON lines")
	s.StringVar(&f.html, "html", "", "write a page with plots to `FILE`")
	s.BoolVarP(&f.force, "force", "f", false, "replace FILE if it is there")
	jsonFlag(cmd, &f.json)
	s.StringVar(&f.analyzer, "analyzer", "", "`SPEC` of the analyzer, as in \"polya-5 lang=auto\"; see 'polya help analyzer'")
	f.pathFlags.flags(cmd)
	f.attributeFlags.kindFlag(cmd)
	jobsFlag(cmd, &f.Jobs)
	complete(cmd, "models", append(modelNames(), "all")...)
}

func (p *program) eval(cmd *cobra.Command, f *evalFlags, args []string) error {
	if err := f.check(cmd, args); err != nil {
		return err
	}
	analyzer, err := tokenize.New(f.analyzer)
	if err != nil {
		return misuse(cmd, "%w", err)
	}
	attributes, err := f.attributeFlags.read(cmd, nil)
	if err != nil {
		return err
	}
	attributes.Learns = true
	r := sample.Sample{Streams: p.Streams, Sampling: f.Sampling, Analyzer: analyzer, Attributes: attributes}
	if err := r.Read(cmd.Context(), args); err != nil {
		return plainEvalError(err)
	}
	if f.positive != "" && !r.Corpus.HasClass(f.positive) {
		return fmt.Errorf("no document is of class %q; the classes are %s", f.positive, holdings.Some(r.Corpus.Classes))
	}
	for _, class := range decided(f.decision) {
		if !r.Corpus.HasClass(class) {
			return fmt.Errorf("no document is of class %q; the classes are %s", class, holdings.Some(r.Corpus.Classes))
		}
	}
	if len(r.Corpus.Terms) == 0 {
		f.withoutTerms(cmd, &r)
	}
	r.Notes = append(r.Notes, f.chosen()...)
	order, err := r.Arrange()
	if err != nil {
		return err
	}
	progress := report.NewProgress(p.Streams)
	report, err := f.run(cmd, &r.Corpus, evaluation.Options{
		Models: f.eventModels, Analyzer: analyzer.Spec(), Raw: f.raw, Decision: f.decision, Abstain: f.abstain, Selection: f.selection,
		Attributes: f.read.Attributes, Screen: f.read.Screen, ScreenBy: f.read.ScreenBy, WordsOnly: f.read.WordsOnly, Folds: f.folds, Seed: f.Seed,
		Curve: f.curve, Logistic: f.logistic, Variance: f.variance, Positive: f.positive, FPR: f.rates,
		Terms: f.terms, Jobs: f.Jobs, Progress: progress.OrNil(),
	})
	progress.Done()
	if err != nil {
		return plainEvalError(err)
	}
	report.Order = order
	report.Run = f.ran(args)
	report.Notes = append(r.Notes, report.Notes...)
	if err := p.writeEval(f, report); err != nil {
		return err
	}
	return r.Failed.OrNil()
}

func (f *evalFlags) run(cmd *cobra.Command, c *evaluation.Corpus, o evaluation.Options) (*evaluation.Report, error) {
	switch {
	case f.hasFolds:
		return evaluation.Folds(cmd.Context(), c, o)
	case f.Prequential:
		return evaluation.Prequential(cmd.Context(), c, o)
	}
	return evaluation.HeldOut(cmd.Context(), c, o)
}

// plainEvalError adds to an interruption that nothing is left behind.
func plainEvalError(err error) error {
	if isInterrupted(err) {
		return errors.New("interrupted: nothing was kept")
	}
	return err
}

func (p *program) writeEval(f *evalFlags, r *evaluation.Report) error {
	if f.answers != "" {
		if err := outfile.Write(f.answers, "", f.force, func(w io.Writer) error { return report.WriteAnswers(w, r) }); err != nil {
			return err
		}
	}
	if f.html != "" {
		if err := outfile.Write(f.html, "", f.force, func(w io.Writer) error { return plots.HTML(w, r) }); err != nil {
			return err
		}
	}
	if f.json {
		return p.EncodeJSON(r)
	}
	if p.Quiet {
		return nil
	}
	w := bufio.NewWriter(p.Stdout)
	if err := report.WriteText(w, r); err != nil {
		return err
	}
	return w.Flush()
}

// ran describes this run of eval for the head of the page that --html writes.
func (f *evalFlags) ran(args []string) evaluation.Run {
	run := evaluation.Run{Time: time.Now(), Program: version(), Command: terminal.ShellWords(append([]string{"polya"}, os.Args[1:]...)...)}
	var names []string
	add := func(what string, paths []string) {
		for _, path := range paths {
			name := filepath.Base(path)
			if absolute, err := filepath.Abs(path); path == "-" {
				name, path = "standard input", "standard input"
			} else if err == nil {
				path = absolute
			}
			names, run.Data = append(names, name), append(run.Data, what+path)
		}
	}
	add("learned: ", f.Train)
	add("asked about: ", f.Test)
	add("", args)
	run.Title = strings.Join(names, ", ")
	return run
}
