package main

import (
	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/polya-lab/internal/similar"
)

type similarFlags struct {
	command.Documents
	similar.Search
}

func similarCommand(l *lab) *cobra.Command {
	var f similarFlags
	cmd := &cobra.Command{
		Use:     "similar PATH… --in DIR",
		Short:   "find the documents that are like a few given",
		Example: `    polya-lab similar trip1.eml trip2.eml --in ~/Maildir`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return l.over(cmd, &f.Documents, classify.Options{Holds: classify.Either}, func(db *classify.Classifier, r *reading.Reader) error {
				return f.Run(cmd.Context(), db, r, args)
			})
		},
	}
	cmd.Flags().StringArrayVar(&f.In, "in", nil, "look for them in `DIR`")
	cmd.Flags().IntVarP(&f.Limit, "documents", "n", 20, "print the first `N` documents, 0 for all")
	cmd.Flags().IntVar(&f.Terms, "terms", 0, "print the `N` terms that contribute most")
	cmd.Flags().BoolVar(&f.Paper, "bayesian-sets", false, "use the score of the paper, without improvements")
	l.flags(cmd, &f.Documents)
	return cmd
}
