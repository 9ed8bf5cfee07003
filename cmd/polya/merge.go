package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/learning"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

func mergeCommand(p *program) *cobra.Command {
	var o store.MergeOptions
	var uncalibrated bool
	cmd := &cobra.Command{
		Use:   "merge OTHER…",
		Short: "add what other databases have learned",
		Example: `    polya merge laptop.polya
    polya merge --duplicates=twice shards/*.polya`,
		Args: command.Needs(1, -1, "the file of another database"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.merge(cmd, args, o, uncalibrated) },
	}
	p.JSONFlag(cmd)
	cmd.Flags().BoolVar(&o.Again, "again", false, "merge it although it was merged before")
	command.ValueFlag(cmd, &o.Twice, "duplicates", func(s string) (bool, error) {
		if s != "once" && s != "twice" {
			return false, errors.New("want once or twice")
		}
		return s == "twice", nil
	}, "count documents `once` or twice that two databases have, where\nneither ledger keeps their counts: once refuses them")
	cmd.Flags().Lookup("duplicates").DefValue = "once"
	uncalibratedFlag(cmd, &uncalibrated)
	command.Complete(cmd, "duplicates", "once", "twice")
	return cmd
}

func (p *program) merge(cmd *cobra.Command, paths []string, o store.MergeOptions, uncalibrated bool) error {
	path := p.Path()
	var others []*store.DB
	for _, other := range paths {
		if reading.SameFile(path, other) {
			return fmt.Errorf("%s: this is the database itself; name another one to merge", other)
		}
		from, err := p.openStore(other)
		if err != nil {
			return err
		}
		defer from.Close()
		others = append(others, from)
	}
	return p.change(func(db *classify.Classifier) error {
		before := statistics.Names(db.Store())
		wait := p.StartBar("merging", 0)
		applied, err := db.Store().Merge(cmd.Context(), o, others...)
		wait.Done()
		if n := applied.Learned + applied.Moved; err != nil && n > 0 {
			return fmt.Errorf("%w; %s documents are merged and kept, merge again to go on", err, terminal.Grouped(n))
		}
		if errors.Is(err, store.ErrOverlap) {
			err = fmt.Errorf("%w; --duplicates=twice counts those twice", err)
		}
		if err != nil {
			return orAgain(err)
		}
		p.reportAdding("merged", db.Store(), applied, before)
		if n := applied.Twice; n > 0 {
			p.Note(fmt.Errorf("%s: in two of the databases, and no ledger has the counts: counted twice", terminal.Counted(n, "document", "documents")))
		}
		if uncalibrated {
			return nil
		}
		return learning.Refit(cmd.Context(), p.Streams, db)
	})
}

// uncalibratedFlag adds the flag that leaves fitting to a later command.
func uncalibratedFlag(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "no-calibrate", false, "fit no models, as a later training, merge or 'polya calibrate' does")
}
