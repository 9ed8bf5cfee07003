package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/cmd/internal/evaluating"
	"github.com/polya-classifier/polya/cmd/internal/holdings"
	"github.com/polya-classifier/polya/store"
)

// deciding holds the flags that say how an answer is chosen from the posterior.
type deciding struct {
	threshold float64
	minTerms  int
	minDocs   uint64
	prior     string
	costs     []string
}

func (d *deciding) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Float64Var(&d.threshold, "threshold", 0, "answers less probable than `P` are unsure, and with --is no others")
	f.IntVar(&d.minTerms, "min-terms", 0, "answers from fewer than `N` different known terms are unsure")
	f.Uint64Var(&d.minDocs, "min-docs", 0, "answers of a class with fewer than `N` documents are unsure")
	f.StringVar(&d.prior, "prior", "empirical", "how probable classes are before a document is read: empirical,\nml, dirichlet:ALPHA, uniform or `CLASS=P`,…")
	f.StringArrayVar(&d.costs, "cost", nil, "cost of an answer, `TRUTH>SAID=COST` or unsure=COST; may be repeated.\nThe answer of the least expected cost is given")
	complete(cmd, "prior", "empirical", "ml", "dirichlet:0.5", "uniform")
}

func (d *deciding) decision(cmd *cobra.Command) (decision.Decision, decision.Abstain, error) {
	abstain := decision.Abstain{Threshold: d.threshold, MinTerms: d.minTerms, MinDocuments: d.minDocs}
	switch {
	case !(d.threshold >= 0 && d.threshold <= 1):
		return nil, abstain, misuse(cmd, "--threshold %v is no probability: want 0 to 1", d.threshold)
	case d.minTerms < 0:
		return nil, abstain, misuse(cmd, "--min-terms %d: want 0 or more", d.minTerms)
	}
	prior, err := decision.ParsePrior(d.prior)
	if err != nil {
		return nil, abstain, misuse(cmd, "--prior: %w", err)
	}
	if len(d.costs) == 0 {
		return decision.MostProbable{Prior: prior}, abstain, nil
	}
	costs, err := decision.ParseCosts(d.costs)
	if err != nil {
		return nil, abstain, misuse(cmd, "--cost: %w", err)
	}
	return decision.LeastCost{Costs: costs, Prior: prior}, abstain, nil
}

// checkDecided refuses a decision about a class that the database does not have: a
// mistyped name would silently change nothing.
func checkDecided(db *store.DB, d decision.Decision) error {
	for _, class := range decision.ClassesOf(d) {
		if _, err := holdings.Class(db, class); err != nil {
			return err
		}
	}
	return nil
}

// answering holds the flags of commands that answer.
type answering struct {
	deciding
	model string
}

func (a *answering) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.model, "model", "auto", "event `MODEL`; 'polya help models' lists them")
	complete(cmd, "model", evaluating.ModelNames()...)
	a.deciding.flags(cmd)
}

func (a *answering) options(cmd *cobra.Command) (classify.Options, error) {
	model, err := classify.ParseModel(a.model)
	if err != nil {
		return classify.Options{}, unknownModel(err)
	}
	d, abstain, err := a.decision(cmd)
	return classify.Options{Model: model, Decision: d, Abstain: abstain}, err
}

func unknownModel(err error) error { return fmt.Errorf("%w; see 'polya help models'", err) }

// asking holds the flags of commands that answer from a database of the user's.
type asking struct {
	falsePositives
	answering
	holds classify.Holds
}

func (a *asking) flags(p *program, cmd *cobra.Command, is string) {
	a.falsePositives.flags(p, cmd, is)
	a.answering.flags(cmd)
}

// classifier returns the options of a Classifier that the flags ask for.
func (a *asking) classifier(cmd *cobra.Command) (o classify.Options, err error) {
	if o, err = a.answering.options(cmd); err != nil {
		return o, err
	}
	if err := a.falsePositives.options(cmd, &o); err != nil {
		return o, err
	}
	if flag := cmd.Flags().Lookup("precision"); flag != nil && flag.Changed {
		if err := a.earning(cmd, &o); err != nil {
			return o, err
		}
	}
	o.Holds = a.holds
	return o, nil
}

// open opens the database with the options of the flags.
func (a *asking) open(p *program, cmd *cobra.Command) (*classify.Classifier, error) {
	o, err := a.classifier(cmd)
	if err != nil {
		return nil, err
	}
	db, err := p.openRead(o)
	if err != nil || db.Store().Tags() {
		return db, err
	}
	if flag := cmd.Flags().Lookup("precision"); flag != nil && flag.Changed && a.is != "" {
		db.Close()
		return nil, misuse(cmd, "--precision and --is do not go together: --is has --fpr and --threshold")
	}
	if err = checkDecided(db.Store(), o.Decision); err == nil {
		err = p.noteRate(db, &o)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// earning turns --precision into options of a Classifier, and refuses flags that contradict
// it. For a database of tags it has a meaning of its own.
func (a *asking) earning(cmd *cobra.Command, o *classify.Options) error {
	share, err := cmd.Flags().GetFloat64("precision")
	switch {
	case err != nil:
		return err
	case !(share > 0 && share < 1):
		return misuse(cmd, "--precision %v: want a share above 0 and below 1, such as 0.9", share)
	case a.is != "":
		return nil // of tags; open refuses it for classes
	case len(a.costs) > 0 || cmd.Flags().Changed("prior") || cmd.Flags().Changed("threshold"):
		return misuse(cmd, "--precision does not go with --cost, --prior or --threshold: each decides alone")
	}
	o.Decision = decision.Precision{Share: share}
	return nil
}
