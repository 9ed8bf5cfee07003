package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store/count"
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
	c, err := p.Open(toChange) // for a dry run too: the size of the new file is known only by writing it
	if err != nil {
		return err
	}
	defer c.Close()
	r, all := &pruning{Database: p.Path(), Done: yes}, uint64(0)
	out, err := c.Store().Prune(cmd.Context(), !yes, func(_ []byte, cells []count.Cell) bool {
		r.Vocabulary++
		documents := uint64(0)
		for i := range cells {
			documents, all = documents+cells[i].DF, all+cells[i].TF
		}
		return documents < df
	})
	if err != nil {
		return err
	}
	r.Terms, r.Tokens, r.Before, r.After = out.Terms, out.Tokens, out.Before, out.After
	r.Share = terminal.Number(float64(out.Tokens) / float64(max(all, 1)))
	if r.Done && r.Terms > 0 {
		if err := p.recalibrate(cmd.Context(), c, "the terms are dropped"); err != nil {
			return err
		}
	}
	return p.Result(r, func() error { p.printPruning(r); return nil })
}

// pruning is the result of 'polya prune'.
type pruning struct {
	Database   string          `json:"database"`
	Done       bool            `json:"done"` // false for a dry run
	Terms      uint64          `json:"terms"`
	Vocabulary uint64          `json:"vocabulary"` // before
	Tokens     uint64          `json:"tokens"`
	Share      terminal.Number `json:"token_share"`
	Before     int64           `json:"size_before"`
	After      int64           `json:"size_after"`
}

// printPruning prints what was dropped, or would be.
func (p *program) printPruning(r *pruning) {
	database := terminal.Printable(r.Database)
	what := fmt.Sprintf("%s of %s terms, %.1f %% of all occurrences", terminal.Grouped(r.Terms), terminal.Grouped(r.Vocabulary), 100*float64(r.Share))
	switch before, after := terminal.Grouped(r.Before), terminal.Grouped(r.After); {
	case r.Terms == 0:
		p.Printf("%s: no term to drop, of %s\n", database, terminal.Grouped(r.Vocabulary))
	case r.Done:
		p.Printf("%s: dropped %s; %s bytes before, %s bytes now\n", database, what, before, after)
	default:
		p.Printf("%s: would drop %s; %s bytes now, %s bytes then; --yes does it\n", database, what, before, after)
		if r.Terms == r.Vocabulary {
			p.Printf("note: these are all terms: no document could be told from another until more are learned\n")
		}
	}
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
				wait := p.StartBar("compacting", 0)
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
