package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/classify/overlap"
	"github.com/polya-classifier/polya/classify/term"
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

// decided returns the classes that a decision names, in order of name.
func decided(d decision.Decision) []string {
	var names []string
	parts := decision.PartsOf(d)
	if parts.Positive != "" {
		names = append(names, parts.Positive)
	}
	for class := range parts.Prior.Given {
		names = append(names, class)
	}
	if parts.Costs != nil {
		for pair := range parts.Costs.Pairs {
			names = append(names, pair[0], pair[1])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// checkDecided refuses a decision about a class that the database does not have: a
// mistyped name would silently change nothing.
func checkDecided(db *store.DB, d decision.Decision) error {
	for _, class := range decided(d) {
		if _, err := holdings.Class(db, class); err != nil {
			return err
		}
	}
	return nil
}

// selecting holds the flags of commands that may answer from a selection of terms.
type selecting struct {
	df   uint64
	best int
	by   string
}

func (s *selecting) flags(cmd *cobra.Command) {
	cmd.Flags().Uint64Var(&s.df, "df", 0, "leave out terms that fewer than `K` learned documents have")
	cmd.Flags().IntVar(&s.best, "best", 0, "keep only the `K` terms that tell most about the class")
	cmd.Flags().StringVar(&s.by, "by", term.MI.String(), "`MEASURE` of --best: mi, mi-tokens or chi2; see 'polya help terms'")
	complete(cmd, "by", measureNames()...)
}

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

// screening holds the flags that say how attributes are read.
type screening struct {
	attributes string
	screen     float64
	screenBy   string
}

func (s *screening) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.attributes, "attr-model", "", "`PARAMETERS` of the model attributes, as in gaussian,alpha=1 ('polya help\nmodels'); off leaves attributes out")
	cmd.Flags().Float64Var(&s.screen, "screen", 0, "leave out attributes by which the classes are more alike than `SHARE` (see\n'polya help attributes'); 0 keeps all")
	cmd.Flags().StringVar(&s.screenBy, "screen-by", overlap.Area.String(), "`MEASURE` of --screen: overlap of the densities of two classes, or dot, their\ndot product")
	complete(cmd, "screen-by", "overlap", "dot")
}

func (s *screening) options(cmd *cobra.Command, o *classify.Options) error {
	if s.attributes == "" && cmd.Flags().Changed("attr-model") {
		return misuse(cmd, "--attr-model '': want parameters, as in gaussian,alpha=1, or off")
	}
	o.Screen = s.screen
	if !(s.screen >= 0 && s.screen <= 1) {
		return misuse(cmd, "--screen %v: want a similarity of classes, 0 to 1", s.screen)
	}
	by := slices.IndexFunc(overlap.Measures(), func(m overlap.Measure) bool { return m.String() == s.screenBy })
	switch {
	case by < 0:
		return misuse(cmd, "--screen-by %.40q: want overlap or dot", s.screenBy)
	case s.screen == 0 && cmd.Flags().Changed("screen-by"):
		return misuse(cmd, "--screen-by needs --screen SHARE, as in --screen 0.8")
	}
	o.ScreenBy = overlap.Measures()[by]
	switch s.attributes {
	case "":
	case "off":
		o.WordsOnly = true
	default:
		m, err := classify.ParseModel("attributes:" + s.attributes)
		if err != nil {
			return misuse(cmd, "--attr-model: %w", err)
		}
		o.Attributes = m.(model.Attributes)
	}
	return nil
}

// answering holds the flags of commands that answer.
type answering struct {
	deciding
	model string
	raw   bool
}

func (a *answering) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.model, "model", "auto", "event `MODEL`; 'polya help models' lists them")
	cmd.Flags().BoolVar(&a.raw, "raw", false, "use the event model's probabilities, not calibrated")
	complete(cmd, "model", modelNames()...)
	a.deciding.flags(cmd)
}

func (a *answering) options(cmd *cobra.Command) (classify.Options, error) {
	model, err := classify.ParseModel(a.model)
	if err != nil {
		return classify.Options{}, unknownModel(err)
	}
	d, abstain, err := a.decision(cmd)
	return classify.Options{Model: model, Raw: a.raw, Decision: d, Abstain: abstain}, err
}

func unknownModel(err error) error { return fmt.Errorf("%w; see 'polya help models'", err) }

// asking holds the flags of commands that answer from a database of the user's.
type asking struct {
	falsePositives
	answering
	selecting
	screening
	holds classify.Holds
}

func (a *asking) flags(p *program, cmd *cobra.Command, is string) {
	a.falsePositives.flags(p, cmd, is)
	a.answering.flags(cmd)
	a.selecting.flags(cmd)
	a.screening.flags(cmd)
}

// classifier returns the options of a Classifier that the flags ask for.
func (a *asking) classifier(cmd *cobra.Command) (o classify.Options, err error) {
	if o, err = a.answering.options(cmd); err != nil {
		return o, err
	}
	if o.Selection, err = a.selection(cmd); err != nil {
		return o, err
	}
	if err := a.falsePositives.options(cmd, &o); err != nil {
		return o, err
	}
	if err := a.screening.options(cmd, &o); err != nil {
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
		err = p.noteRate(db, o.Decision)
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
	case o.Raw || !isOneModel(o.Model) || o.Selection != classify.Selection{}:
		return misuse(cmd, "--precision does not go with --raw, --df, --best or a mixture of models: it is known of calibrated answers")
	}
	o.Decision = decision.Precision{Share: share}
	return nil
}

func modelNames() []string {
	names := []string{"auto"}
	for _, m := range model.Models() {
		names = append(names, m.Name())
	}
	return names
}
