package main

import (
	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
)

type termsFlags struct {
	by    string
	limit int
}

func termsCommand(p *program) *cobra.Command {
	var f termsFlags
	cmd := &cobra.Command{
		Use:   "terms [CLASS|TAG]",
		Short: "print the terms of a class or tag",
		Example: `    polya terms spam --by odds -n 20
    polya terms --by mi`,
		Args:              needs(0, 1, "at most one class"),
		RunE:              func(cmd *cobra.Command, args []string) error { return p.terms(cmd, &f, args) },
		ValidArgsFunction: p.classArguments(1, cobra.ShellCompDirectiveNoFileComp),
	}
	cmd.Flags().StringVar(&f.by, "by", "df", "`ORDER`: df, tf, odds or mi")
	f.limit = 50
	command.NumberFlag(cmd, &f.limit, "terms", "n", 0, "print the first `N` terms, 0 for all")
	p.JSONFlag(cmd)
	command.Complete(cmd, "by", "df", "tf", "odds", "mi")
	return cmd
}

func (p *program) terms(cmd *cobra.Command, f *termsFlags, args []string) error {
	class := ""
	if len(args) > 0 {
		class = args[0]
	}
	order, err := statistics.ParseOrder(f.by, len(args) > 0)
	if err != nil {
		return misuse(cmd, "%w", err)
	}
	db, err := p.openToRead()
	if err != nil {
		return err
	}
	defer db.Close()
	if len(args) > 0 {
		if _, err := statistics.Class(db, class); err != nil {
			return err
		}
	}
	list, err := statistics.ReadTerms(cmd.Context(), db, class, order, f.limit)
	if err != nil {
		return err
	}
	return statistics.PrintTerms(p.Streams, list, order)
}
