package main

import (
	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

func termsCommand(p *program) *cobra.Command {
	by, limit := "", 50
	cmd := &cobra.Command{
		Use:   "terms [CLASS|TAG]",
		Short: "print the terms of a class or tag",
		Example: `    polya terms spam --by odds -n 20
    polya terms --by mi`,
		Args:              command.Needs(0, 1, "at most one class"),
		RunE:              func(cmd *cobra.Command, args []string) error { return p.terms(cmd, by, limit, args) },
		ValidArgsFunction: p.classArguments(1, cobra.ShellCompDirectiveNoFileComp),
	}
	cmd.Flags().StringVar(&by, "by", "df", "`ORDER`: df, tf, odds or mi")
	command.NumberFlag(cmd, &limit, "terms", "n", 0, "print the first `N` terms, 0 for all")
	p.JSONFlag(cmd)
	command.Complete(cmd, "by", "df", "tf", "odds", "mi")
	return cmd
}

func (p *program) terms(cmd *cobra.Command, by string, limit int, args []string) error {
	if err := statistics.CheckOrder(by, len(args) > 0); err != nil {
		return command.Misuse(cmd, "%w", err)
	}
	db, err := p.openToRead()
	if err != nil {
		return err
	}
	defer db.Close()
	class := ""
	if len(args) > 0 {
		class = args[0]
		if _, err := statistics.Class(db, class); err != nil {
			return err
		}
	}
	list, err := statistics.ReadTerms(cmd.Context(), db, class, by, limit)
	if err != nil {
		return err
	}
	return terminal.List(p.Streams, list)
}
