package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/polya/internal/holdings"
	"github.com/polya-classifier/polya/cmd/polya/internal/learning"
	"github.com/polya-classifier/polya/cmd/polya/internal/reading"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
)

func mergeCommand(p *program) *cobra.Command {
	var asJSON, again bool
	cmd := &cobra.Command{
		Use:     "merge OTHER",
		Short:   "add what another database has learned",
		Example: "    polya merge laptop.polya",
		Args:    needs(1, 1, "the file of another database"),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.merge(cmd, args[0], asJSON, again) },
	}
	jsonFlag(cmd, &asJSON)
	cmd.Flags().BoolVar(&again, "again", false, "merge it although it was merged before")
	return cmd
}

func (p *program) merge(cmd *cobra.Command, other string, asJSON, again bool) error {
	path, err := p.databasePath()
	if err != nil {
		return err
	}
	if reading.SameFile(path, other) {
		return fmt.Errorf("%s: this is the database itself; name another one to merge", other)
	}
	from, err := p.openStore(other)
	if err != nil {
		return err
	}
	defer from.Close()
	db, err := p.openWrite(classify.Options{Holds: classify.Either})
	if err != nil {
		return err
	}
	defer db.Close()
	before := holdings.Names(db.Store())
	wait := p.NewFileWait("merging", other)
	merge := db.Store().MergeFrom
	if again {
		merge = db.Store().MergeAgain
	}
	applied, err := merge(cmd.Context(), from)
	wait.Done()
	if n := applied.Learned + applied.Moved; err != nil && n > 0 {
		return fmt.Errorf("%w; %s documents are merged and kept, merge again to go on", err, terminal.Grouped(n))
	}
	if err != nil {
		return orAgain(err)
	}
	p.reportAdding("merged", db.Store(), applied, holdings.NewSince(before), asJSON)
	return learning.Refit(cmd.Context(), p.Streams, db)
}
