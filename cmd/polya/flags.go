package main

import (
	"fmt"
	"math"
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
	threshold float64
}

func (a *answering) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.model, "model", classify.DefaultModel().Name(), "event `MODEL`: multinomial, bernoulli or dcm")
	cmd.Flags().Float64Var(&a.threshold, "threshold", classify.DefaultThreshold, "answers less probable than `P` are unsure")
	complete(cmd, "model", "multinomial", "bernoulli", "dcm")
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
	// To a Classifier 0 means its default.
	return classify.Options{Model: model, Threshold: max(a.threshold, math.SmallestNonzeroFloat64)}, nil
}

// creating holds the flags of commands that may make a database.
type creating struct {
	ledger   string
	analyzer string
}

func (c *creating) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.ledger, "ledger", "", "what to keep of each document, `MODE`: full, digest or none (default\nwhat the database was made with, full in a new one)")
	cmd.Flags().StringVar(&c.analyzer, "analyzer", "", "`SPEC` of the analyzer of a new database, as in \"polya-1 lang=auto\"")
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
