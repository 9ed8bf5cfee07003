package main

import (
	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
)

func listAttributesCommand(p *program) *cobra.Command {
	values := 3
	cmd := &cobra.Command{
		Use:     "attributes [NAME]",
		Short:   "print the attributes of documents and what they tell",
		Example: "    polya attributes size",
		Args:    command.Needs(0, 1, "at most one attribute"),
		RunE: func(cmd *cobra.Command, args []string) error {
			db, err := p.openRead(classify.Options{})
			if err != nil {
				return err
			}
			defer db.Close()
			if len(args) == 0 {
				return statistics.ListAttributes(cmd.Context(), p.Streams, db)
			}
			return statistics.ListAttribute(p.Streams, db, args[0], values)
		},
	}
	command.NumberFlag(cmd, &values, "values", "n", 0, "print the `N` most frequent categories of each class, 0 for all")
	p.JSONFlag(cmd)
	return cmd
}
