package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/learning"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/cmd/polya-lab/internal/rule"
	"github.com/polya-classifier/polya/cmd/polya-lab/internal/sieve"
	"github.com/polya-classifier/polya/store"
)

type ruleFlags struct {
	documents
	folder             string
	rules              int
	json, sieve, force bool
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
	cmd.Flags().BoolVarP(&f.force, "force", "f", false, "with --sieve: print it even if \"no rule\" is more probable")
	f.documents.flags(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON, one object a line")
	return cmd
}

func (l *lab) rule(cmd *cobra.Command, f *ruleFlags, paths []string) error {
	switch {
	case f.folder == "" && cmd.Flags().Changed("folder"):
		return errors.New("--folder '': want the name of a folder")
	case f.force && !f.sieve:
		return errors.New("rule takes --force only with --sieve")
	case f.sieve && f.json:
		return errors.New("rule prints --sieve or --json, not both")
	case !sieve.IsText(f.folder):
		return fmt.Errorf("--folder %q has characters that cannot stand in a script", f.folder)
	}
	return l.over(&f.documents, classify.Options{}, func(db *classify.Classifier, r *reading.Reader) error {
		given, err := readGiven(cmd.Context(), r, paths)
		if err != nil {
			return err
		}
		answer, script, err := sieve.Find(cmd.Context(), db.Store(), db.Analyzer(), given, f.rules)
		if err != nil {
			return err
		}
		if len(answer.Rules) == 0 {
			return errors.New("no rule: the messages have no list, sender, recipient or word of a subject that a test can name and other documents lack")
		}
		if script.Folder = f.folder; script.Folder == "" {
			if script.Folder, err = commonClass(db.Store(), given); err != nil {
				return err
			}
		}
		if !answer.Pairs {
			l.Note(fmt.Errorf("%s: rules of two tests were left out, as the ledger does not keep all documents in full", db.Store().Path()))
		}
		if first := answer.Rules[0]; answer.None > first.Posterior {
			if f.sieve && !f.force {
				return fmt.Errorf("no script: that no rule holds is more probable (%.4f) than the first one (%.4f); --force prints it all the same", answer.None, first.Posterior)
			}
			l.Note(fmt.Errorf("that no rule holds is more probable (%.4f) than the first one", answer.None))
		}
		return l.printRules(f, &script, &answer, len(given))
	})
}

func readGiven(ctx context.Context, r *reading.Reader, paths []string) ([]sieve.Message, error) {
	var all []sieve.Message
	r.Deliver = func(d *reading.Document) error {
		if d.Err != nil {
			return d.Err
		}
		g := sieve.NewMessage(d.ID, &d.Bag)
		if d.Format == corpus.Mail {
			g.ReadHeader(d.Content)
		}
		all = append(all, g)
		return nil
	}
	if err := r.Read(ctx, paths); err != nil {
		return nil, err
	}
	return all, r.Failed.OrNil()
}

// commonClass is the class that all messages are learned as, or else "FOLDER", for the
// user to fill in.
func commonClass(db *store.DB, all []sieve.Message) (string, error) {
	const unknown = "FOLDER"
	class := ""
	for _, g := range all {
		e, err := learning.LedgerEntry(db, g.ID)
		if err != nil {
			return "", err
		}
		if e == nil || class != "" && e.Class != class || !sieve.IsText(e.Class) {
			return unknown, nil
		}
		class = e.Class
	}
	if class == "" {
		return unknown, nil
	}
	return class, nil
}

type ruleJSON struct {
	Posterior  terminal.Number `json:"posterior"`
	NoRule     terminal.Number `json:"no_rule"`
	Documents  uint64          `json:"documents"` // that match, of all
	All        uint64          `json:"all"`
	Covers     int             `json:"covers"` // of the messages given
	Given      int             `json:"given"`
	Conditions []conditionJSON `json:"conditions"`
	Sieve      string          `json:"sieve"`
}

type conditionJSON struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

func (l *lab) printRules(f *ruleFlags, s *sieve.Script, a *rule.Answer, given int) error {
	switch {
	case l.Quiet:
		return nil
	case f.sieve:
		l.Printf("%s", s.Text(&a.Rules[0]))
		return nil
	case f.json:
		for i := range a.Rules {
			if err := l.EncodeJSON(ruleAsJSON(s, &a.Rules[i], a, given)); err != nil {
				return err
			}
		}
		return nil
	}
	t := terminal.Table{Numeric: []bool{true, true, true, false}}
	t.Add("posterior", "documents", "given", "rule")
	for i := range a.Rules {
		r := &a.Rules[i]
		t.Add(fmt.Sprintf("%.4f", r.Posterior), terminal.Grouped(r.Size), fmt.Sprintf("%d of %d", r.Covers, given), s.Line(r))
	}
	t.Add(fmt.Sprintf("%.4f", a.None), terminal.Grouped(a.Documents), "", "no rule")
	return t.Write(l.Stdout)
}

func ruleAsJSON(s *sieve.Script, r *rule.Rule, a *rule.Answer, given int) ruleJSON {
	j := ruleJSON{
		Posterior: terminal.Number(r.Posterior), NoRule: terminal.Number(a.None), Documents: r.Size, All: a.Documents,
		Covers: r.Covers, Given: given, Sieve: s.Line(r),
	}
	for _, c := range r.Conditions {
		j.Conditions = append(j.Conditions, conditionJSON{c.Kind.String(), c.Value})
	}
	return j
}
