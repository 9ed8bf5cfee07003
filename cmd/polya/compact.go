package main

import (
	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
)

func compactCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "compact",
		Short:   "make the file of the database smaller",
		Example: "    polya compact",
		Args:    needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := p.openWrite(classify.Options{})
			if err != nil {
				return err
			}
			defer c.Close()
			before, err := c.Store().Size()
			if err != nil {
				return err
			}
			wait := p.NewWait("compacting", before)
			err = c.Store().Compact(cmd.Context())
			wait.Done()
			if err != nil {
				return err
			}
			after, err := c.Store().Size()
			if err != nil {
				return err
			}
			p.Printf("%s: %s bytes before, %s bytes now\n", terminal.Printable(c.Store().Path()), terminal.Grouped(before), terminal.Grouped(after))
			return nil
		},
	}
}
