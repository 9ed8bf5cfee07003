package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
)

const mergeHelp = `Add what the database OTHER has learned to the database. OTHER is only read.
Documents that both have learned count once, as far as their ledgers tell.`

func mergeCommand(p *program) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "merge OTHER",
		Short:   "add what another database has learned",
		Long:    mergeHelp,
		Example: "    polya merge laptop.polya",
		Args:    needs(1, 1, "the file of another database"),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.merge(cmd, args[0], asJSON) },
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (p *program) merge(cmd *cobra.Command, other string, asJSON bool) error {
	path, err := p.databasePath()
	if err != nil {
		return err
	}
	if sameFile(path, other) {
		return fmt.Errorf("%s: this is the database itself; name another one to merge", other)
	}
	from, err := p.openStore(other)
	if err != nil {
		return err
	}
	defer from.Close()
	db, err := p.openWrite(classify.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	before := classNames(db.Store())
	size, err := from.Size()
	if err != nil {
		return err
	}
	wait := p.newWait("merging", size)
	applied, err := db.Store().MergeFrom(cmd.Context(), from)
	wait.done()
	if n := applied.Learned + applied.Moved; err != nil && n > 0 {
		return fmt.Errorf("%w; %s documents are merged and kept, merge again to go on", err, grouped(n))
	}
	if err != nil {
		return err
	}
	p.reportAdding("merged", db.Store(), applied, newSince(before), asJSON)
	return p.refit(cmd.Context(), db)
}
