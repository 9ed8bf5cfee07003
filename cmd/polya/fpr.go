package main

import (
	"fmt"
	"math"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
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
	p.Note(fmt.Errorf("--fpr %s is not known yet: the calibration sample needs %s of other classes and 10 of %s, and has %s and %s%s",
		statistics.Percentage(d.Rate), terminal.Counted(needed, "document", "documents"), d.Positive,
		terminal.Grouped(tail.Documents), terminal.Grouped(tail.Own), advice))
	return nil
}
