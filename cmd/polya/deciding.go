package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/store"
)

// deciding holds the flags that say how an answer is chosen when the posterior
// is known.
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

// decision reads the flags.
func (d *deciding) decision(cmd *cobra.Command) (classify.Decision, error) {
	switch {
	case !(d.threshold >= 0 && d.threshold <= 1):
		return classify.Decision{}, misuse(cmd, "--threshold %v is no probability: want 0 to 1", d.threshold)
	case d.minTerms < 0:
		return classify.Decision{}, misuse(cmd, "--min-terms %d: want 0 or more", d.minTerms)
	}
	out := classify.Decision{Threshold: d.threshold, MinTerms: d.minTerms, MinDocuments: d.minDocs}
	var err error
	if out.Prior, err = classify.ParsePrior(d.prior); err != nil {
		return out, misuse(cmd, "--prior: %w", err)
	}
	if len(d.costs) > 0 {
		if out.Costs, err = classify.ParseCosts(d.costs); err != nil {
			return out, misuse(cmd, "--cost: %w", err)
		}
	}
	return out, nil
}

// falsePositives holds the flags of answers at a chosen rate of false positives.
type falsePositives struct {
	is  string // the class
	fpr string // the rate
}

// flags adds --is, with the help given, and --fpr.
func (r *falsePositives) flags(p *program, cmd *cobra.Command, is string) {
	cmd.Flags().StringVar(&r.is, "is", "", is)
	cmd.Flags().StringVar(&r.fpr, "fpr", "", "answer the class of --is only above the cut-off that at most `RATE` of the\ndocuments of other classes exceed, with 95 % confidence, as in 1% or 0.01")
	_ = cmd.RegisterFlagCompletionFunc("is", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return p.completeClass(nil)
	})
}

// options turns --is and --fpr into what a Classifier wants, and refuses what --fpr
// does not go with.
func (r *falsePositives) options(cmd *cobra.Command, o *classify.Options) error {
	d := &o.Decision
	d.Positive = r.is
	if !cmd.Flags().Changed("fpr") {
		if r.is != "" && d.Costs == nil && cmd.Flags().Changed("threshold") {
			d.Costs = &classify.Costs{} // the most probable class, in place of the unsure zone
		}
		return nil
	}
	rate, err := parseRate(r.fpr)
	switch {
	case err != nil || !(rate > 0 && rate < 1):
		return misuse(cmd, "--fpr %q: want a rate above 0 and below 1, such as 0.1%% or 0.001", r.fpr)
	case r.is == "":
		return misuse(cmd, "--fpr needs --is CLASS, the class that others must not be taken for")
	case d.Costs != nil:
		return misuse(cmd, "--fpr and --cost do not go together: each decides alone")
	case !d.Prior.IsDefault():
		return misuse(cmd, "--fpr and --prior do not go together: a rate asks for no prior")
	case o.Raw:
		return misuse(cmd, "--fpr and --raw do not go together: rates are known of calibrated answers")
	case !isOneModel(o.Model):
		return misuse(cmd, "--fpr does not go with --model %s: rates are known of one model", o.Model.Name())
	case o.Selection != classify.Selection{}:
		return misuse(cmd, "--fpr does not go with --df or --best: rates are known of all terms")
	}
	d.Rate = rate
	return nil
}

// isOneModel says whether m is calibrated as itself, and is no mixture of others.
func isOneModel(m classify.EventModel) bool {
	switch m.(type) {
	case classify.Average, classify.Gibbs:
		return false
	}
	return true
}

// parseRate reads a fraction or a percentage, 0 to 1.
func parseRate(text string) (float64, error) {
	digits, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if percent {
		x /= 100
	}
	if err == nil && !(x >= 0 && x <= 1) {
		err = strconv.ErrRange
	}
	return x, err
}

// decided returns the classes that a decision names, in order of name.
func decided(d *classify.Decision) []string {
	var names []string
	if d.Positive != "" {
		names = append(names, d.Positive)
	}
	for class := range d.Prior.Given {
		names = append(names, class)
	}
	if d.Costs != nil {
		for pair := range d.Costs.Of {
			names = append(names, pair[0], pair[1])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// checkDecided refuses a decision about a class that the database does not have: a
// mistyped name would change nothing, and nobody would know.
func checkDecided(db *store.DB, d *classify.Decision) error {
	for _, class := range decided(d) {
		if classNamed(db, class) == nil {
			return noSuchClass(db.Path(), class)
		}
	}
	return nil
}

func noSuchClass(database, class string) error {
	return fmt.Errorf("%s: no class %q; 'polya class list' prints the classes", database, class)
}
