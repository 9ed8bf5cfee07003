package statistics

import (
	"fmt"
	"math"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

// shownRates are the target false-positive rates that 'polya info' and 'polya calibrate' report.
var shownRates = []float64{.001, .003, .01}

// OfClass is the effect of --fpr on one class.
type OfClass struct {
	Class  string          `json:"class"`
	Judged int             `json:"judged"`
	Others int             `json:"others_judged"`
	Raised terminal.Number `json:"raised,omitempty"`
	Rates  []rateJSON      `json:"rates"`
}

// rateJSON is the cut-off for one rate. With too few documents of other classes it is unknown.
type rateJSON struct {
	Rate      float64         `json:"rate"`
	Needed    int             `json:"others_needed"`
	Known     bool            `json:"known"`
	LogOdds   terminal.Number `json:"log_odds"`
	Caught    int             `json:"caught"`
	Exceeding int             `json:"others_beyond"`
}

// RatesIn is ratesOf for the model that answers by default.
func RatesIn(c *classify.Classifier, k *calibration.Calibration, is string) (all []OfClass, err error) {
	err = c.Store().View(func(s *store.Snapshot) error {
		all, err = ratesOf(s, k.Model(k.Chosen), is)
		return err
	})
	return all, err
}

// ratesOf returns the effect of --fpr with a model, for the class named or, if the name is
// empty, for each; nil if unknown.
func ratesOf(s *store.Snapshot, m *calibration.Model, is string) ([]OfClass, error) {
	if m == nil {
		return nil, nil
	}
	var all []OfClass
	for _, class := range s.Classes() {
		tail, known := m.Tails[class.ID]
		if !known || class.Docs == 0 || is != "" && class.Name != is {
			continue
		}
		r := OfClass{Class: class.Name, Judged: tail.Own, Others: tail.Documents, Raised: terminal.Number(tail.Raised)}
		for _, rate := range shownRates {
			cut, known := tail.Cut(rate)
			j := rateJSON{Rate: rate, Needed: calibration.Needed(rate), Known: known, LogOdds: terminal.Number(math.NaN())}
			if known {
				j.LogOdds, j.Caught, j.Exceeding = terminal.Number(cut.LogOdds), cut.Caught, cut.Exceeding
			}
			r.Rates = append(r.Rates, j)
		}
		all = append(all, r)
	}
	return all, nil
}

// PrintRates prints a table of the classes' rates.
func PrintRates(p *terminal.Streams, all []OfClass) error {
	if len(all) == 0 {
		return nil
	}
	known, short := false, false
	t := terminal.Table{Numeric: []bool{false, true, true, true}}
	head := []string{"class"}
	for _, rate := range shownRates {
		head = append(head, Percentage(rate))
	}
	t.Add(head...)
	for _, r := range all {
		row := []string{terminal.Printable(r.Class)}
		for _, rate := range r.Rates {
			row = append(row, rate.cell(r.Judged))
			known, short = known || rate.Known, short || !rate.Known
		}
		t.Add(row...)
	}
	if !known {
		p.Printf("\n--fpr RATE needs documents of other classes in the calibration sample: %s for 1%%, %s for\n0.1%%.\n",
			terminal.Grouped(calibration.Needed(.01)), terminal.Grouped(calibration.Needed(.001)))
		return nil
	}
	p.Printf("\nWith --is CLASS --fpr RATE: the share of CLASS that is answered, and the log-odds\n" +
		"that it must exceed. At most RATE of the other documents do, with 95 %% confidence.\n\n")
	if err := t.Write(p.Stdout); err != nil {
		return err
	}
	for _, r := range all {
		if r.Raised > 0 {
			p.Printf("\n(log-odds for %s are raised by %.3f: so much higher the latest of the other documents\n"+
				"score by what was learned before them)\n", terminal.Printable(r.Class), float64(r.Raised))
		}
	}
	if short {
		p.Printf("\n(\"needs N\": the calibration sample needs N documents of other classes, and 10 of the class)\n")
	}
	return nil
}

// cell returns the table cell of a rate.
func (r *rateJSON) cell(own int) string {
	switch {
	case !r.Known:
		return "needs " + terminal.Grouped(r.Needed)
	case math.IsInf(float64(r.LogOdds), 1):
		return "0.0 %"
	}
	return fmt.Sprintf("%.1f %% %+.3f", 100*float64(r.Caught)/float64(own), float64(r.LogOdds))
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// Percentage formats a rate in the form that --fpr reads.
func Percentage(rate float64) string { return fmt.Sprintf("%.3g%%", 100*rate) }
