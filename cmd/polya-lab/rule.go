package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/learning"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/cmd/polya-lab/internal/rule"
	"github.com/polya-classifier/polya/store"
)

type ruleFlags struct {
	command.Documents
	folder string
	rules  int
	sieve  bool
}

func ruleCommand(l *lab) *cobra.Command {
	var f ruleFlags
	cmd := &cobra.Command{
		Use:   "rule PATH…",
		Short: "find the header rule that messages have in common, as Sieve",
		Example: `    polya-lab rule letters/*.eml
    polya-lab rule --sieve --folder Travel tickets/*.eml > travel.sieve`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return l.rule(cmd, &f, args) },
	}
	cmd.Flags().IntVarP(&f.rules, "rules", "n", 5, "print the `N` most probable rules, 0 for all")
	cmd.Flags().StringVar(&f.folder, "folder", "", "file into `NAME` (default the class the messages are learned as)")
	cmd.Flags().BoolVar(&f.sieve, "sieve", false, "print the most probable rule only, as a complete Sieve script")
	l.flags(cmd, &f.Documents)
	return cmd
}

func (l *lab) rule(cmd *cobra.Command, f *ruleFlags, paths []string) error {
	switch {
	case f.folder == "" && cmd.Flags().Changed("folder"):
		return errors.New("--folder '': want the name of a folder")
	case !rule.IsText(f.folder):
		return fmt.Errorf("--folder %q has characters that cannot stand in a script", f.folder)
	}
	return l.over(cmd, &f.Documents, classify.Options{}, func(db *classify.Classifier, r *reading.Reader) error {
		given, err := readGiven(cmd.Context(), r, paths)
		if err != nil {
			return err
		}
		answer, err := rule.Find(cmd.Context(), db.Store(), given, f.rules)
		if err != nil {
			return err
		}
		if len(answer.Rules) == 0 {
			return errors.New("no rule: the messages have no list, sender, recipient or word of a subject that a test can name and other documents lack")
		}
		if f.folder == "" {
			if f.folder, err = commonClass(db.Store(), given); err != nil {
				return err
			}
		}
		if first := answer.Rules[0]; answer.None > first.Posterior {
			if f.sieve {
				return fmt.Errorf("no script: that no rule holds is more probable (%.4f) than the first one (%.4f); without --sieve it is printed all the same", answer.None, first.Posterior)
			}
			l.Note(fmt.Errorf("that no rule holds is more probable (%.4f) than the first one", answer.None))
		}
		return l.printRules(f, &answer, len(given))
	})
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

// commonClass is the class that all messages are learned as, or else "FOLDER", for the
// user to fill in.
func commonClass(db *store.DB, all []rule.Message) (string, error) {
	const unknown = "FOLDER"
	class := ""
	for _, g := range all {
		e, err := learning.LedgerEntry(db, g.ID)
		if err != nil {
			return "", err
		}
		if e == nil || class != "" && e.Class != class || !rule.IsText(e.Class) {
			return unknown, nil
		}
		class = e.Class
	}
	return class, nil
}

func (l *lab) printRules(f *ruleFlags, a *rule.Answer, given int) error {
	switch {
	case l.Quiet:
		return nil
	case f.sieve:
		l.Printf("%s", a.Rules[0].Script(f.folder))
		return nil
	}
	t := terminal.Table{Numeric: []bool{true, true, true, false}}
	t.Add("posterior", "documents", "given", "rule")
	for i := range a.Rules {
		r := &a.Rules[i]
		t.Add(fmt.Sprintf("%.4f", r.Posterior), terminal.Grouped(r.Size), fmt.Sprintf("%d of %d", r.Covers, given), r.Line(f.folder))
	}
	t.Add(fmt.Sprintf("%.4f", a.None), terminal.Grouped(a.Documents), "", "no rule")
	return t.Write(l.Stdout)
}
