package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

func pruneCommand(p *program) *cobra.Command {
	var df uint64
	var yes bool
	cmd := &cobra.Command{
		Use:     "prune --df N",
		Short:   "drop terms, to make the database smaller",
		Example: "    polya prune --df 2\n    polya prune --df 2 --yes",
		Args:    command.Needs(0, 0, ""),
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.prune(cmd, df, yes) },
	}
	cmd.Flags().Uint64Var(&df, "df", 0, "drop terms that fewer than `N` documents have")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "drop the terms, not only print them")
	p.JSONFlag(cmd)
	return cmd
}

func (p *program) prune(cmd *cobra.Command, df uint64, yes bool) error {
	if !cmd.Flags().Changed("df") {
		return command.Misuse(cmd, "prune needs --df")
	}
	yes = yes && !p.DryRun
	path := p.Path()
	c, err := p.openPrune(path, yes)
	if err != nil {
		return err
	}
	defer c.Close()
	r := &statistics.Pruning{Database: path, Done: yes}
	if err := r.Run(cmd.Context(), c.Store(), df); err != nil {
		return err
	}
	if r.Done && r.Terms > 0 {
		if r.Calibrated, err = p.recalibrate(cmd.Context(), c, "the terms are dropped"); err != nil {
			return err
		}
	}
	return p.Result(r, func() error { return r.Print(p.Streams) })
}

// openPrune opens the database for writing even for a dry run: the size of the new file
// is known only by writing it, beside the old one. For a dry run on a read-only database
// it opens a copy.
func (p *program) openPrune(path string, really bool) (*classify.Classifier, error) {
	o := classify.Options{Holds: classify.Either}
	c, err := p.openWrite(o)
	if !really && errors.Is(err, store.ErrReadOnly) {
		return p.Copy(path, o)
	}
	return c, err
}

func compactCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "compact",
		Short:   "make the file of the database smaller",
		Example: "    polya compact",
		Args:    command.Needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.change(func(c *classify.Classifier) error {
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
				if err == nil {
					p.Printf("%s: %s bytes before, %s bytes now\n", terminal.Printable(c.Store().Path()), terminal.Grouped(before), terminal.Grouped(after))
				}
				return err
			})
		},
	}
}
