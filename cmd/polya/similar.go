package main

import (
	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/likeness"
	"github.com/polya-classifier/polya/cmd/internal/reading"
)

type similarFlags struct {
	pathFlags
	likeness.Search
	jobs int
}

func similarCommand(p *program) *cobra.Command {
	var f similarFlags
	cmd := &cobra.Command{
		Use:   "similar PATH… --in DIR",
		Short: "find the documents that are like a few given",
		Example: `    polya similar trip1.eml trip2.eml --in ~/Maildir
    polya similar trip1.eml trip2.eml --terms 10`,
		Args: needs(1, -1, "a path"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.similar(cmd, &f, args) },
	}
	f.Limit = 20
	cmd.Flags().StringArrayVar(&f.In, "in", nil, "look for them in `DIR`")
	numberFlag(cmd, &f.Limit, "documents", "n", 0, "print the first `N` documents, 0 for all")
	numberFlag(cmd, &f.Terms, "terms", "", 0, "print the `N` terms that contribute most")
	cmd.Flags().BoolVar(&f.Paper, "bayesian-sets", false, "use the score of the paper, without improvements")
	f.pathFlags.flags(cmd)
	jsonFlag(cmd, &f.JSON)
	jobsFlag(cmd, &f.jobs)
	return cmd
}

func (p *program) similar(cmd *cobra.Command, f *similarFlags, paths []string) error {
	if len(f.In) == 0 && f.Terms == 0 {
		return misuse(cmd, "similar needs --in DIR, where to look, or --terms N")
	}
	return p.over(cmd, opening{paths: paths, flags: &f.pathFlags, jobs: f.jobs}, func(db *classify.Classifier, r *reading.Reader) error {
		if err := f.ReadSet(cmd.Context(), db, r, paths); err != nil {
			return err
		}
		if len(f.In) == 0 {
			return f.PrintTerms(p.Streams)
		}
		if err := f.ReadCandidates(cmd.Context(), r); err != nil {
			return err
		}
		if err := f.Print(p.Streams); err != nil {
			return err
		}
		return r.Failed.OrNil()
	})
}
