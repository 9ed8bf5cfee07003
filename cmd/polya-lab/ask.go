package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/explanation"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/cmd/polya-lab/internal/smoothing"
)

// study holds the flags that set what the textbooks set: the prior and the probabilities.
type study struct {
	raw   bool
	prior string
}

func (s *study) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&s.raw, "raw", false, "use the event model's probabilities, not calibrated")
	f.StringVar(&s.prior, "prior", "empirical", "how probable classes are before a document is read: empirical,\nml, dirichlet:ALPHA, uniform or `CLASS=P`,…")
}

func (s *study) options() (o classify.Options, err error) {
	o = classify.Options{Raw: s.raw}
	prior, err := decision.ParsePrior(s.prior)
	if err != nil {
		return o, fmt.Errorf("--prior: %w", err)
	}
	o.Decision = decision.MostProbable{Prior: prior}
	return o, nil
}

// parseModel reads the name of a model of polya, or of a multinomial with another smoothing.
func parseModel(name string) (classify.Model, error) {
	m, err := classify.ParseModel(name)
	if other, ok := smoothing.Parse(name); err != nil && ok {
		return other, nil
	}
	return m, err
}

// asking holds the flags of classify and explain.
type asking struct {
	study
	command.Documents
	model string
	terms int
}

func (a *asking) flags(l *lab, cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.model, "model", "auto", "event `MODEL` with its parameters, as in multinomial:log,jm=0.7")
	a.study.flags(cmd)
	l.flags(cmd, &a.Documents)
}

// ask calls each with every document at paths, and the database.
func (l *lab) ask(cmd *cobra.Command, a *asking, paths []string, each func(*classify.Classifier, *reading.Document) error) error {
	o, err := a.study.options()
	if err != nil {
		return err
	}
	if o.Model, err = parseModel(a.model); err != nil {
		return err
	}
	return l.over(cmd, &a.Documents, o, func(db *classify.Classifier, r *reading.Reader) error {
		r.Deliver = func(d *reading.Document) error { return each(db, d) }
		if err = r.Read(cmd.Context(), paths); err == nil {
			err = r.Finish()
		}
		return err
	})
}

func classifyCommand(l *lab) *cobra.Command {
	var a asking
	cmd := &cobra.Command{
		Use: "classify PATH…", Short: "say which class documents belong to, with any event model and its parameters",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			x, err := parseMixture(a.model)
			if err != nil {
				return err
			}
			answer := (*classify.Classifier).Classify
			if x != nil {
				a.model, answer = "auto", x.classify
			}
			return l.ask(cmd, &a, args, func(db *classify.Classifier, d *reading.Document) error {
				r, err := answer(db, cmd.Context(), d.Learnable(""))
				if err != nil {
					return err
				}
				d.Doubt(&r)
				return l.answer(d, &r)
			})
		},
	}
	a.flags(l, cmd)
	return cmd
}

// answerJSON is an answer as JSON.
type answerJSON struct {
	Path      string                     `json:"path"`
	Exact     string                     `json:"path_base64,omitempty"` // of a path that is not UTF-8
	Class     string                     `json:"class"`
	LogOdds   terminal.Number            `json:"log_odds"`
	Posterior map[string]terminal.Number `json:"posterior"`
}

// answer prints the answer for a document: its class and probability or, with JSON, those of all
// classes.
func (l *lab) answer(d *reading.Document, r *classify.Result) error {
	if !l.JSON {
		note := ""
		if r.Unsure {
			note = "\tunsure\t" + reading.Reason(r.Reason)
		}
		l.Printf("%s\t%.4f\t%s%s\n", terminal.Printable(r.Class), r.Probability, terminal.Printable(d.Path), note)
		return nil
	}
	j := answerJSON{d.Path, terminal.ExactPath(d.Path), r.Class, terminal.Number(r.LogOdds), map[string]terminal.Number{}}
	for _, p := range r.Posterior {
		j.Posterior[p.Class] = terminal.Number(p.Probability)
	}
	return l.EncodeJSON(j)
}

func explainCommand(l *lab) *cobra.Command {
	var a asking
	cmd := &cobra.Command{
		Use: "explain PATH…", Short: "say why documents get their answers, with any event model and its parameters",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return l.ask(cmd, &a, args, func(db *classify.Classifier, d *reading.Document) (err error) {
				x := explanation.Explained{Path: d.Path, ID: d.ID, MessageID: d.MessageID, Most: a.terms}
				if x.Explanation, err = db.Explain(cmd.Context(), d.Learnable("")); err != nil {
					return err
				}
				return x.Print(l.Streams)
			})
		},
	}
	cmd.Flags().IntVarP(&a.terms, "terms", "n", 8, "print the `N` strongest terms for the answer, and N against it; 0 for all")
	a.flags(l, cmd)
	return cmd
}
