package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/classify/rule"
	"github.com/polya-classifier/polya/cmd/internal/learning"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/sieve"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

type ruleFlags struct {
	pathFlags
	folder             string
	rules              int
	json, sieve, force bool
}

func ruleCommand(p *program) *cobra.Command {
	f := ruleFlags{rules: 5}
	cmd := &cobra.Command{
		Use:   "rule PATH…",
		Short: "find the header rule that messages have in common, as Sieve",
		Example: `    polya rule letters/*.eml
    polya rule --sieve --folder Travel tickets/*.eml > travel.sieve`,
		Args: needs(1, -1, "a path"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.rule(cmd, &f, args) },
	}
	numberFlag(cmd, &f.rules, "rules", "n", 0, "print the `N` most probable rules, 0 for all")
	cmd.Flags().StringVar(&f.folder, "folder", "", "file into `NAME` (default the class the messages are learned as)")
	cmd.Flags().BoolVar(&f.sieve, "sieve", false, "print the most probable rule only, as a complete Sieve script")
	cmd.Flags().BoolVarP(&f.force, "force", "f", false, "with --sieve: print it even if \"no rule\" is more probable")
	f.pathFlags.flags(cmd)
	jsonFlag(cmd, &f.json)
	return cmd
}

func (p *program) rule(cmd *cobra.Command, f *ruleFlags, paths []string) error {
	switch {
	case f.folder == "" && cmd.Flags().Changed("folder"):
		return misuse(cmd, "--folder '': want the name of a folder")
	case f.force && !f.sieve:
		return misuse(cmd, "rule takes --force only with --sieve")
	case f.sieve && f.json:
		return misuse(cmd, "rule prints --sieve or --json, not both")
	case !sieve.IsText(f.folder):
		return misuse(cmd, "--folder %q has characters that cannot stand in a script", f.folder)
	}
	return p.over(cmd, opening{paths: paths, flags: &f.pathFlags, jobs: 1}, func(db *classify.Classifier, r *reading.Reader) error {
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
			p.Note(fmt.Errorf("%s: rules of two tests were left out, as the ledger does not keep all documents in full", db.Store().Path()))
		}
		if first := answer.Rules[0]; answer.None > first.Posterior {
			if f.sieve && !f.force {
				return fmt.Errorf("no script: that no rule holds is more probable (%.4f) than the first one (%.4f); --force prints it all the same", answer.None, first.Posterior)
			}
			p.Note(fmt.Errorf("that no rule holds is more probable (%.4f) than the first one", answer.None))
		}
		return p.printRules(f, &script, &answer, len(given))
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

func (p *program) printRules(f *ruleFlags, s *sieve.Script, a *rule.Answer, given int) error {
	switch {
	case p.Quiet:
		return nil
	case f.sieve:
		p.Printf("%s", s.Text(&a.Rules[0]))
		return nil
	case f.json:
		for i := range a.Rules {
			if err := p.EncodeJSON(ruleAsJSON(s, &a.Rules[i], a, given)); err != nil {
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
	return t.Write(p.Stdout)
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
