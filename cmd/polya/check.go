package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/store"
)

const checkHelp = `Check the database: that every record and table can be read, that checksums hold,
and that all totals are the sums of what is counted.

Prints a line for each problem, then a summary. The exit code is 0 if there are no
problems and 1 if there are.`

func checkCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "check",
		Short:   "check the database for damage",
		Long:    checkHelp,
		Example: "    polya check --db backup.polya",
		Args:    needs(0, 0, ""),
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.check(cmd.Context()) },
	}
}

func (p *program) check(ctx context.Context) error {
	path, err := p.databasePath()
	if err != nil {
		return err
	}
	problem := func(err error) { p.printf("%s\n", printable(err.Error())) }
	var damaged *store.CorruptError
	db, err := store.Open(path, store.Options{ReadOnly: true})
	if errors.As(err, &damaged) {
		problem(err)
		return verdict(exitNo)
	}
	if err != nil {
		return openError(path, err)
	}
	defer db.Close()
	report, err := db.Check(ctx, problem)
	if errors.As(err, &damaged) {
		problem(err)
		report.Problems++
	} else if err != nil {
		return err
	}
	summary := "ok"
	if report.Problems > 0 {
		summary = counted(report.Problems, "problem", "problems")
	}
	p.printf("%s: %s; %s, %s, %s, %s, %s, %s\n", printable(path), summary,
		counted(report.Documents, "document", "documents"), counted(report.Classes, "class", "classes"),
		counted(report.Vocabulary, "term", "terms"), counted(report.Tables, "count table", "count tables"),
		counted(report.Records, "log record", "log records"), counted(report.Entries, "ledger entry", "ledger entries"))
	if report.Problems > 0 {
		return verdict(exitNo)
	}
	return nil
}

// counted writes a number of things.
func counted[N int | uint64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}
