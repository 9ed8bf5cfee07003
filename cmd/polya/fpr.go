package main

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

// noteRate says why a rate is not known yet, and the smallest that is known.
func (p *program) noteRate(c *classify.Classifier, model classify.Model, chosen decision.Decision) error {
	d, rate := chosen.(decision.FalsePositiveRate)
	if !rate {
		return nil
	}
	k, err := c.Calibration()
	if err != nil {
		return err
	}
	name := model.Name()
	if k != nil && name == (classify.Auto{}).Name() {
		name = k.Chosen
	}
	if k == nil || k.Model(name) == nil {
		p.Note(fmt.Errorf("--fpr: %s is not calibrated and its rates are not known; 'polya calibrate' does that", name))
		return nil
	}
	class, err := statistics.Class(c.Store(), d.Positive)
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
		advice = fmt.Sprintf("; --fpr %s is known", statistics.Percentage(math.Ceil(least*1e4)/1e4))
	}
	if learned, others := documentsBeside(c.Store(), d.Positive); others >= uint64(needed) && tail.Documents < needed {
		advice += fmt.Sprintf("; 'polya calibrate --sample %d' takes more", learned)
	}
	p.Note(fmt.Errorf("--fpr %s is not known yet: the calibration sample needs %s of other classes and 10 of %s, and has %s and %s%s",
		statistics.Percentage(d.Rate), terminal.Counted(needed, "document", "documents"), d.Positive,
		terminal.Grouped(tail.Documents), terminal.Grouped(tail.Own), advice))
	return nil
}

// documentsBeside returns how many documents were learned, and how many of them of
// other classes than the one given.
func documentsBeside(db *store.DB, class string) (all, others uint64) {
	for _, c := range statistics.Classes(db) {
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
		_, err = statistics.Class(db, is)
	}
	return err
}
