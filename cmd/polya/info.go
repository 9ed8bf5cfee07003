package main

import (
	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
)

func infoCommand(p *program) *cobra.Command {
	var asJSON bool
	var is string
	cmd := &cobra.Command{
		Use:     "info",
		Short:   "say what the database holds",
		Example: "    polya info --db work.polya\n    polya info --is spam",
		Args:    needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			i, err := p.statistics(is)
			if err != nil {
				return err
			}
			if asJSON {
				return p.EncodeJSON(i)
			}
			return i.Print(p.Streams, is)
		},
	}
	ratesFlag(p, cmd, &is)
	jsonFlag(cmd, &asJSON)
	return cmd
}

// statistics reads what the database holds. is is as for statistics.Read.
func (p *program) statistics(is string) (i *statistics.Summary, err error) {
	err = p.read(func(c *classify.Classifier) error {
		if err := checkRatesClass(c.Store(), is); err != nil {
			return err
		}
		i, err = statistics.Read(c, is, 0)
		return err
	})
	return i, err
}
