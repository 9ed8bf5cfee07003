package main

import (
	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
)

func infoCommand(p *program) *cobra.Command {
	var is string
	cmd := &cobra.Command{
		Use:     "info",
		Short:   "say what the database holds",
		Example: "    polya info --db work.polya\n    polya info --is spam",
		Args:    command.Needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			i, err := p.statistics(is)
			if err != nil {
				return err
			}
			return p.Result(i, func() error { return i.Print(p.Streams, is) })
		},
	}
	cmd.Flags().StringVar(&is, "is", "", "show what --is and --fpr answer for `CLASS`, and all documents that are\nprobably in the wrong class")
	p.completeClassFlag(cmd, "is")
	p.JSONFlag(cmd)
	return cmd
}

// statistics reads what the database holds. is is as for statistics.Read.
func (p *program) statistics(is string) (i *statistics.Summary, err error) {
	err = p.read(func(c *classify.Classifier) (err error) {
		if is != "" {
			_, err = statistics.Class(c.Store(), is)
		}
		if err == nil {
			i, err = statistics.Read(c, is)
		}
		return err
	})
	return i, err
}
