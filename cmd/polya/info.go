package main

import (
	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/contents"
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
			i, err := p.contents(is)
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

// contents reads what the database holds. is is as for contents.Read.
func (p *program) contents(is string) (*contents.Contents, error) {
	c, err := p.openRead(classify.Options{Holds: classify.Either})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if err := checkRatesClass(c.Store(), is); err != nil {
		return nil, err
	}
	return contents.Read(c, is, 0)
}
