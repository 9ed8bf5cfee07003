package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/cmd/polya-lab/internal/rule"
)

func ruleCommand(l *lab) *cobra.Command {
	var f command.Documents
	rules := 5
	cmd := &cobra.Command{
		Use:     "rule PATH…",
		Short:   "find the header rule that messages have in common, as a test of Sieve",
		Example: `    polya-lab rule letters/*.eml`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return l.over(cmd, &f, classify.Options{}, func(db *classify.Classifier, r *reading.Reader) error {
				given, err := readGiven(cmd.Context(), r, args)
				if err != nil {
					return err
				}
				answer, err := rule.Find(cmd.Context(), db.Store(), given, rules)
				if err != nil {
					return err
				}
				if len(answer.Rules) == 0 {
					return errors.New("no rule: the messages have no list, sender, recipient or word of a subject that a test can name and other documents lack")
				}
				if first := answer.Rules[0]; answer.None > first.Posterior {
					l.Note(fmt.Errorf("that no rule holds is more probable (%.4f) than the first one", answer.None))
				}
				return l.printRules(&answer, len(given))
			})
		},
	}
	cmd.Flags().IntVarP(&rules, "rules", "n", rules, "print the `N` most probable rules, 0 for all")
	l.flags(cmd, &f)
	return cmd
}

func readGiven(ctx context.Context, r *reading.Reader, paths []string) ([]rule.Message, error) {
	var all []rule.Message
	r.Deliver = func(d *reading.Document) error {
		if d.Err != nil {
			return d.Err
		}
		if d.Format != corpus.Mail {
			d.Content = nil
		}
		all = append(all, rule.NewMessage(d.ID, &d.Bag, d.Content))
		return nil
	}
	if err := r.Read(ctx, paths); err != nil {
		return nil, err
	}
	return all, r.Failed.OrNil()
}

func (l *lab) printRules(a *rule.Answer, given int) error {
	if l.Quiet {
		return nil
	}
	t := terminal.Table{Numeric: []bool{true, true, true, false}}
	t.Add("posterior", "documents", "given", "rule")
	for i := range a.Rules {
		r := &a.Rules[i]
		t.Add(fmt.Sprintf("%.4f", r.Posterior), terminal.Grouped(r.Size), fmt.Sprintf("%d of %d", r.Covers, given), r.Test())
	}
	t.Add(fmt.Sprintf("%.4f", a.None), terminal.Grouped(a.Documents), "", "no rule")
	return t.Write(l.Stdout)
}
