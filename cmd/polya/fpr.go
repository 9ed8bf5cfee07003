package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/cmd/internal/holdings"
	"github.com/polya-classifier/polya/cmd/internal/rates"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

// falsePositives holds the flags of answers at a chosen rate of false positives.
type falsePositives struct {
	is  string // the class
	fpr string // the rate
}

// flags adds --is, with the help given, and --fpr.
func (r *falsePositives) flags(p *program, cmd *cobra.Command, is string) {
	cmd.Flags().StringVar(&r.is, "is", "", is)
	cmd.Flags().StringVar(&r.fpr, "fpr", "", "answer the class of --is only above the cut-off that at most `RATE` of the\ndocuments of other classes exceed, with 95 % confidence, as in 1% or 0.01")
	p.completeClassFlag(cmd, "is")
}

// options turns --is and --fpr into options of a Classifier, and refuses flags that
// contradict --fpr.
func (r *falsePositives) options(cmd *cobra.Command, o *classify.Options) error {
	d := decision.PartsOf(o.Decision)
	if !cmd.Flags().Changed("fpr") {
		switch {
		case r.is == "":
		case d.Costs != nil:
			o.Decision = decision.LeastCost{Costs: *d.Costs, Prior: d.Prior, Positive: r.is}
		case cmd.Flags().Changed("threshold"): // it asks for the most probable class in place of the unsure zone
			o.Decision = decision.LeastCost{Prior: d.Prior, Positive: r.is}
		default:
			o.Decision = decision.Filter{Positive: r.is, Prior: d.Prior}
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
	}
	o.Decision = decision.FalsePositiveRate{Positive: r.is, Rate: rate}
	return nil
}

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

// noteRate says why a rate is not known yet, and the smallest that is known.
func (p *program) noteRate(c *classify.Classifier, o *classify.Options) error {
	d, rate := o.Decision.(decision.FalsePositiveRate)
	if !rate {
		return nil
	}
	k, err := c.Calibration()
	if err != nil {
		return err
	}
	name := o.Model.Name()
	if k != nil && name == (classify.Auto{}).Name() {
		name = k.Chosen
	}
	if k == nil || k.Model(name) == nil {
		p.Note(fmt.Errorf("--fpr: %s is not calibrated and its rates are not known; 'polya calibrate' does that", name))
		return nil
	}
	class, err := holdings.Class(c.Store(), d.Positive)
	if err != nil {
		return err
	}
	tail := k.Model(name).Tails[class.ID]
	if _, known := tail.Cut(d.Rate); known {
		return nil
	}
	needed := calibration.Needed(d.Rate)
	advice := ""
	if least := tail.LeastRate(); least < 1 {
		// Rounded up, so that the rate is known for certain.
		advice = fmt.Sprintf("; --fpr %s is known", rates.Percentage(math.Ceil(least*1e4)/1e4))
	}
	if learned, others := documentsBeside(c.Store(), d.Positive); others >= uint64(needed) && tail.Documents < needed {
		advice += fmt.Sprintf("; 'polya calibrate --sample %d' takes more", learned)
	}
	p.Note(fmt.Errorf("--fpr %s is not known yet: the calibration sample needs %s of other classes and 10 of %s, and has %s and %s%s",
		rates.Percentage(d.Rate), terminal.Counted(needed, "document", "documents"), d.Positive,
		terminal.Grouped(tail.Documents), terminal.Grouped(tail.Own), advice))
	return nil
}

// documentsBeside returns how many documents were learned, and how many of them of
// other classes than the one given.
func documentsBeside(db *store.DB, class string) (all, others uint64) {
	for _, c := range holdings.Classes(db) {
		all += c.Docs
		if c.Name != class {
			others += c.Docs
		}
	}
	return all, others
}

// ratesFlag adds the --is of commands that show rates.
func ratesFlag(p *program, cmd *cobra.Command, is *string) {
	cmd.Flags().StringVar(is, "is", "", "show what --fpr does for `CLASS` alone, with the documents that decide it")
	p.completeClassFlag(cmd, "is")
}

func checkRatesClass(db *store.DB, is string) (err error) {
	if is != "" {
		_, err = holdings.Class(db, is)
	}
	return err
}
