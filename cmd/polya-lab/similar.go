package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/polya-lab/internal/similarity"
)

type similarFlags struct {
	documents
	similarity.Search
}

func similarCommand(l *lab) *cobra.Command {
	var f similarFlags
	cmd := &cobra.Command{
		Use:   "similar PATH… --in DIR",
		Short: "find the documents that are like a few given",
		Example: `    polya-lab similar trip1.eml trip2.eml --in ~/Maildir
    polya-lab similar trip1.eml trip2.eml --terms 10`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return l.similar(cmd, &f, args) },
	}
	cmd.Flags().StringArrayVar(&f.In, "in", nil, "look for them in `DIR`")
	cmd.Flags().IntVarP(&f.Limit, "documents", "n", 20, "print the first `N` documents, 0 for all")
	cmd.Flags().IntVar(&f.Terms, "terms", 0, "print the `N` terms that contribute most")
	cmd.Flags().BoolVar(&f.Paper, "bayesian-sets", false, "use the score of the paper, without improvements")
	f.documents.flags(cmd)
	cmd.Flags().BoolVar(&f.JSON, "json", false, "print JSON, one object a line")
	return cmd
}

func (l *lab) similar(cmd *cobra.Command, f *similarFlags, paths []string) error {
	if len(f.In) == 0 && f.Terms == 0 {
		return errors.New("similar needs --in DIR, where to look, or --terms N")
	}
	return l.over(&f.documents, classify.Options{Holds: classify.Either}, func(db *classify.Classifier, r *reading.Reader) error {
		if err := f.ReadSet(cmd.Context(), db, r, paths); err != nil {
			return err
		}
		if len(f.In) == 0 {
			return f.PrintTerms(l.Streams)
		}
		if err := f.ReadCandidates(cmd.Context(), r); err != nil {
			return err
		}
		if err := f.Print(l.Streams); err != nil {
			return err
		}
		return r.Failed.OrNil()
	})
}
