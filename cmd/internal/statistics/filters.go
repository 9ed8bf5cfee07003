package statistics

import (
	"fmt"
	"math"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

// shownRates are the false-positive rates whose effect 'polya info' reports.
var shownRates = []float64{.001, .003, .01}

// zoneJSON is the unsure zone of 'classify --is CLASS' for one class, and its answers for
// the documents of the calibration sample.
type zoneJSON struct {
	Class  string          `json:"class"`
	No     terminal.Number `json:"no_log_odds"`
	Yes    terminal.Number `json:"yes_log_odds"`
	Own    answerJSON      `json:"judged"`
	Others answerJSON      `json:"others_judged"`
}

type answerJSON struct {
	No     int `json:"no"`
	Unsure int `json:"unsure"`
	Yes    int `json:"yes"`
}

// ratesJSON is the effect of --fpr on one class.
type ratesJSON struct {
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

// addFilters adds what --is and --fpr do with a model, for the class named or, if the name is
// empty, for each.
func (j *Calibration) addFilters(s *store.Snapshot, m *calibration.Model, is string) {
	counts := func(n [3]int) answerJSON {
		return answerJSON{n[calibration.No], n[calibration.Unsure], n[calibration.Yes]}
	}
	for _, class := range s.Classes() {
		if class.Docs == 0 || is != "" && class.Name != is {
			continue
		}
		if z, known := m.Zones[class.ID]; known {
			j.Zones = append(j.Zones, zoneJSON{class.Name, terminal.Number(z.No), terminal.Number(z.Yes), counts(z.Own), counts(z.Others)})
		}
		tail, known := m.Tails[class.ID]
		if !known {
			continue
		}
		r := ratesJSON{Class: class.Name, Judged: tail.Own, Others: tail.Documents, Raised: terminal.Number(tail.Raised)}
		for _, rate := range shownRates {
			one := rateJSON{Rate: rate, Needed: calibration.Needed(rate), LogOdds: terminal.Number(math.NaN())}
			var cut calibration.Cut
			if cut, one.Known = tail.Cut(rate); one.Known {
				one.LogOdds, one.Caught, one.Exceeding = terminal.Number(cut.LogOdds), cut.Caught, cut.Exceeding
			}
			r.Rates = append(r.Rates, one)
		}
		j.Rates = append(j.Rates, r)
	}
}

// printFilter prints what --is and --fpr answer about the calibration sample, for one class.
func (j *Calibration) printFilter(p *terminal.Streams, is string) error {
	name := terminal.Printable(is)
	t := terminal.Table{Numeric: []bool{false, true, true, true, true, true, true}}
	t.Add("", "no up to", "yes beyond", name+": no %", "yes %", "others: no %", "yes %")
	share := func(n, of int) string { return fmt.Sprintf("%.2f", 100*float64(n)/float64(max(of, 1))) }
	for _, z := range j.Zones {
		if z.Class == is {
			own, others := z.Own.No+z.Own.Unsure+z.Own.Yes, z.Others.No+z.Others.Unsure+z.Others.Yes
			t.Add("--is "+name, terminal.Signed(float64(z.No)), terminal.Signed(float64(z.Yes)),
				share(z.Own.No, own), share(z.Own.Yes, own), share(z.Others.No, others), share(z.Others.Yes, others))
		}
	}
	raised := 0.0
	for _, r := range j.Rates {
		if r.Class != is {
			continue
		}
		raised = float64(r.Raised)
		for _, rate := range r.Rates {
			if rate.Known {
				t.Add("--fpr "+Percentage(rate.Rate), "", terminal.Signed(float64(rate.LogOdds)), "", share(rate.Caught, r.Judged), "", share(rate.Exceeding, r.Others))
			} else {
				t.Add("--fpr "+Percentage(rate.Rate), "needs", terminal.Grouped(rate.Needed), "others")
			}
		}
	}
	if len(t.Rows) == 1 {
		return nil
	}
	p.Printf("\nLog-odds of %s, and the answers about the calibration sample, leave-one-out:\n\n", name)
	err := t.Write(p.Stdout)
	if raised > 0 {
		p.Printf("\n(log-odds of --fpr are raised by %.3f: so much higher the latest of the other documents\n"+
			"score by what was learned before them)\n", raised)
	}
	return err
}

// Percentage formats a rate in the form that --fpr reads.
func Percentage(rate float64) string { return fmt.Sprintf("%.3g%%", 100*rate) }
