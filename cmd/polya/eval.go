package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/evaluation"
)

func evalCommand(p *program) *cobra.Command {
	var read command.Documents
	e := evaluation.Evaluation{ParseModel: classify.ParseModel}
	cmd := &cobra.Command{
		Use:   "eval --train PATH --test PATH | eval --folds K PATH… | eval --prequential PATH…",
		Short: "measure how well documents are classified",
		Example: `    polya eval --train mail/2025 --test mail/2026 --html report.html
    polya eval --folds 10 corpus/
    polya eval --prequential --order date corpus/`,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			e.Streams, e.Program, e.Seed = p.Streams, p.Version(), 1
			if e.Walk, err = read.Walk(p.Program, cmd); err != nil {
				return err
			}
			if command.Exists(p.Path()) {
				err := p.read(func(c *classify.Classifier) error {
					e.Analyzer, e.Tags = c.Analyzer().Spec(), c.Store().Tags()
					return keepTo(cmd, &e.Walk, c.Settings())
				})
				if err != nil {
					p.Note(fmt.Errorf("%w; neither its analyzer nor its columns are used", err))
				}
			}
			if e.Attributes, err = read.Attributes(cmd, nil); err != nil {
				return err
			}
			if err := e.Check(args); err != nil {
				return command.Misuse(cmd, "%w", err)
			}
			return e.Run(cmd.Context(), args)
		},
	}
	s := cmd.Flags()
	e.Flags(s, fmt.Sprintf("event `MODELS`, as in auto,dcm; 'polya help models' lists them\n(default %s)", strings.Join(evaluation.ModelNames(), ", ")))
	p.JSONFlag(cmd)
	read.FormatFlag(cmd)
	read.ColumnFlags(cmd)
	read.KindFlag(cmd)
	command.Complete(cmd, "models", append(evaluation.ModelNames(), "all")...)
	command.Complete(cmd, "order", "date", "hash")
	return cmd
}
