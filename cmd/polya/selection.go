package main

import (
	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/term"
)

// selecting holds the flags of commands that may answer by some of the terms.
type selecting struct {
	df   uint64
	best int
	by   string
}

func (s *selecting) flags(cmd *cobra.Command) {
	cmd.Flags().Uint64Var(&s.df, "df", 0, "leave out terms that fewer than `K` learned documents have")
	cmd.Flags().IntVar(&s.best, "best", 0, "leave out all but the `K` terms that tell most of the class")
	cmd.Flags().StringVar(&s.by, "by", term.MI.String(), "`MEASURE` of --best: mi, mi-tokens or chi2; see 'polya help terms'")
	complete(cmd, "by", measureNames()...)
}

// selection reads the flags.
func (s *selecting) selection(cmd *cobra.Command) (classify.Selection, error) {
	by, err := term.ParseMeasure(s.by)
	switch {
	case err != nil:
		return classify.Selection{}, misuse(cmd, "%w", err)
	case s.best < 0:
		return classify.Selection{}, misuse(cmd, "--best %d: want 1 or more, or 0 for all terms", s.best)
	case cmd.Flags().Changed("by") && s.best == 0:
		return classify.Selection{}, misuse(cmd, "--by goes with --best, the number of terms")
	}
	return classify.Selection{MinDF: s.df, Best: s.best, By: by}, nil
}

func measureNames() []string {
	var names []string
	for _, m := range term.Measures() {
		names = append(names, m.String())
	}
	return names
}
