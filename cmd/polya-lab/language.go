package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/cmd/polya-lab/internal/language"
)

func languageCommand(l *lab) *cobra.Command {
	var o language.Options
	var limit int
	var json bool
	cmd := &cobra.Command{
		Use: "language CLASS", Short: "print a class as a language model: the probabilities of its next word",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return l.with(classify.Options{}, func(db *classify.Classifier) error {
				if _, err := statistics.Class(db.Store(), args[0]); err != nil {
					return err
				}
				return language.Print(cmd.Context(), l.Streams, db.Store(), args[0], limit, o, json)
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.Closed, "closed", false, "there are only the learned words")
	f.Float64Var(&o.Alpha, "alpha", model.DefaultMultinomialAlpha, "add `A` to the count of each term")
	f.IntVarP(&limit, "terms", "n", 50, "print the first `N` terms, 0 for all")
	f.BoolVar(&json, "json", false, "print JSON, one object a line")
	return cmd
}

func estimateCommand(l *lab) *cobra.Command {
	var alpha float64
	cmd := &cobra.Command{
		Use: "estimate TERM…", Short: "print the probability of terms in each class, ± its standard error",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, terms []string) error {
			if !(alpha > 0 && alpha <= language.MaxAlpha) {
				return fmt.Errorf("--alpha %v: want a number above 0, at most %v", alpha, language.MaxAlpha)
			}
			return l.with(classify.Options{}, func(db *classify.Classifier) error {
				p, err := language.Estimate(cmd.Context(), db.Store(), alpha, terms...)
				if err != nil {
					return err
				}
				t := terminal.Table{Numeric: []bool{false, false, true}}
				t.Add("term", "class", "probability")
				for i, term := range terms {
					for c, class := range p.Classes {
						b := p.Terms[i][c]
						t.Add(terminal.Printable(term), terminal.Printable(class), terminal.WithError(b.Mean(), b.StdDev()))
					}
				}
				return t.Write(l.Stdout)
			})
		},
	}
	cmd.Flags().Float64Var(&alpha, "alpha", model.DefaultMultinomialAlpha, "add `A` to the count of each term")
	return cmd
}
