package main

import (
	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
)

func listAttributesCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "attributes",
		Short:   "print the attributes of documents and what they tell",
		Example: "    polya attributes --json",
		Args:    command.Needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			db, err := p.openRead(classify.Options{})
			if err != nil {
				return err
			}
			defer db.Close()
			return statistics.ListAttributes(cmd.Context(), p.Streams, db)
		},
	}
	p.JSONFlag(cmd)
	return cmd
}
