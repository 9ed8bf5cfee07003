package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/store"
)

// formatFlag adds --format, which says how documents are read.
func formatFlag(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVar(format, "format", "auto", "`FORMAT` of the documents: auto, mail, html, text, mbox, maildir or jsonl")
	complete(cmd, "format", "auto", "mail", "html", "text", "mbox", "maildir", "jsonl")
}

// jobsFlag adds -j.
func jobsFlag(cmd *cobra.Command, jobs *int) {
	cmd.Flags().IntVarP(jobs, "jobs", "j", runtime.GOMAXPROCS(0), "read `N` documents at the same time")
}

// jsonFlag adds --json.
func jsonFlag(cmd *cobra.Command, json *bool) {
	cmd.Flags().BoolVar(json, "json", false, "print JSON, one object a line")
}

// answering holds the flags of commands that answer.
type answering struct {
	model     string
	raw       bool
	threshold float64
	minTerms  int
	minDocs   uint64
	prior     string
	costs     []string
	rate      float64
	positive  string // of the rate; set by the command
}

func (a *answering) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&a.model, "model", "auto", "event `MODEL`; 'polya help models' lists them")
	f.BoolVar(&a.raw, "raw", false, "posteriors of the event model as it is, not calibrated")
	f.Float64Var(&a.threshold, "threshold", 0, "answers less probable than `P` are unsure")
	f.IntVar(&a.minTerms, "min-terms", 0, "answers from fewer than `N` different known terms are unsure")
	f.Uint64Var(&a.minDocs, "min-docs", 0, "answers of a class with fewer than `N` documents are unsure")
	f.StringVar(&a.prior, "prior", "empirical", "how probable classes are before a document is read: empirical,\nuniform or `CLASS=P`,…")
	f.StringArrayVar(&a.costs, "cost", nil, "cost of an answer, `TRUTH>SAID=COST` or unsure=COST; may be repeated.\nThe answer of the least expected cost is given")
	complete(cmd, "model", modelNames()...)
	complete(cmd, "prior", "empirical", "uniform")
}

func modelNames() []string {
	names := []string{"auto"}
	for _, m := range classify.Models() {
		names = append(names, m.Name())
	}
	return names
}

// options turns the flags into those of a Classifier.
func (a *answering) options(cmd *cobra.Command) (classify.Options, error) {
	model, err := classify.ParseModel(a.model)
	if err != nil {
		return classify.Options{}, misuse(cmd, "%w", err)
	}
	if !(a.threshold >= 0 && a.threshold <= 1) {
		return classify.Options{}, misuse(cmd, "--threshold %v is no probability: want 0 to 1", a.threshold)
	}
	d := classify.Decision{Threshold: a.threshold, MinTerms: a.minTerms, MinDocuments: a.minDocs}
	if d.Prior, err = classify.ParsePrior(a.prior); err != nil {
		return classify.Options{}, misuse(cmd, "--prior: %w", err)
	}
	if len(a.costs) > 0 {
		if d.Costs, err = classify.ParseCosts(a.costs); err != nil {
			return classify.Options{}, misuse(cmd, "--cost: %w", err)
		}
	}
	if a.rate != 0 {
		d.Positive, d.Rate = a.positive, a.rate
	}
	return classify.Options{Model: model, Raw: a.raw, Decision: d}, nil
}

// creating holds the flags of commands that may make a database.
type creating struct {
	ledger   string
	analyzer string
}

func (c *creating) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.ledger, "ledger", "", "what to keep of each document, `MODE`: full, digest or none (default\nwhat the database was made with, full in a new one)")
	cmd.Flags().StringVar(&c.analyzer, "analyzer", "", "`SPEC` of the analyzer of a new database, as in \"polya-2 lang=auto\"")
	complete(cmd, "ledger", "full", "digest", "none")
}

func (c *creating) options(cmd *cobra.Command) (classify.Options, error) {
	o := classify.Options{Analyzer: c.analyzer}
	if c.ledger != "" {
		ledger, err := store.ParseLedger(c.ledger)
		if err != nil {
			return o, misuse(cmd, "no ledger mode is called %q: want full, digest or none", c.ledger)
		}
		o.Store.Ledger = ledger
	}
	return o, nil
}

// parseFormat reads --format.
func parseFormat(cmd *cobra.Command, name string) (corpus.Format, error) {
	format, err := corpus.ParseFormat(name)
	if err != nil {
		return format, misuse(cmd, "%w", err)
	}
	return format, nil
}

// complete lists the values of a flag to the shell.
func complete(cmd *cobra.Command, flag string, values ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(fmt.Sprintf("polya: flag %s: %v", flag, err))
	}
}
