package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/cmd/internal/command"
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

func (s *study) options() (classify.Options, error) {
	prior, err := decision.ParsePrior(s.prior)
	if err != nil {
		return classify.Options{}, fmt.Errorf("--prior: %w", err)
	}
	return classify.Options{Raw: s.raw, Decision: decision.MostProbable{Prior: prior}}, nil
}

// parseModel reads the name of a model of polya, or of a multinomial with another smoothing.
func parseModel(name string) (classify.Model, error) {
	m, err := classify.ParseModel(name)
	if other, ok := smoothing.Parse(name); err != nil && ok {
		return other, nil
	}
	return m, err
}

func classifyCommand(l *lab) *cobra.Command {
	var s study
	var read command.Documents
	model := ""
	cmd := &cobra.Command{
		Use: "classify PATH…", Short: "say which class documents belong to, with any event model and its parameters",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := s.options()
			if err != nil {
				return err
			}
			x, err := parseMixture(model)
			answer := (*classify.Classifier).Classify
			if x != nil {
				answer = x.classify
			} else if err == nil {
				o.Model, err = parseModel(model)
			}
			if err != nil {
				return err
			}
			return l.over(cmd, &read, o, func(db *classify.Classifier, r *reading.Reader) error {
				r.Deliver = func(d *reading.Document) error {
					a, err := answer(db, cmd.Context(), d.Learnable(""))
					if err != nil {
						return err
					}
					d.Doubt(&a)
					note := ""
					if a.Unsure {
						note = "\tunsure\t" + reading.Reason(a.Reason)
					}
					l.Printf("%s\t%.4f\t%s%s\n", terminal.Printable(a.Class), a.Probability, terminal.Printable(d.Path), note)
					return nil
				}
				if err := r.Read(cmd.Context(), args); err != nil {
					return err
				}
				return r.Finish()
			})
		},
	}
	cmd.Flags().StringVar(&model, "model", "auto", "event `MODEL` with its parameters, as in multinomial:log,jm=0.7")
	s.flags(cmd)
	l.flags(cmd, &read)
	return cmd
}
