// Package rates reports the results of a calibration: the chosen model, the unsure zone of each
// class, and the cut-offs for target false-positive rates.
package rates

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// shownRates are the target false-positive rates that 'polya info' and 'polya calibrate' report.
var shownRates = []float64{.001, .003, .01}

// nearestWithoutIs is the number of documents listed for each of two classes without --is. For a
// class named by --is all that the calibration keeps are listed.
const nearestWithoutIs = 3

// wordsShown is the number of words shown of a subject. They are in order of bytes.
const wordsShown = 8

// OfClass is the effect of --fpr on one class.
type OfClass struct {
	Class   string          `json:"class"`
	Judged  int             `json:"judged"`
	Others  int             `json:"others_judged"`
	Raised  terminal.Number `json:"raised,omitempty"`
	Rates   []rateJSON      `json:"rates"`
	Nearest []nearDocument  `json:"nearest,omitempty"`
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

// nearDocument is a document of another class that is close to a false positive, with its entry
// in the ledger.
type nearDocument struct {
	ID      string          `json:"document"`
	LogOdds terminal.Number `json:"log_odds"`
	Class   string          `json:"class"`
	Day     string          `json:"day"`
	Source  string          `json:"source,omitempty"`
	Subject []string        `json:"subject_words,omitempty"`
}

// In is ratesOf for the model that answers by default.
func In(c *classify.Classifier, k *calibration.Calibration, is string) (all []OfClass, err error) {
	err = c.Store().View(func(s *store.Snapshot) error {
		all, err = ratesOf(s, Model(k, k.Chosen), is)
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
		for _, d := range tail.Top {
			near, err := newNearDocument(s, d)
			if err != nil {
				return nil, err
			}
			if near != nil {
				r.Nearest = append(r.Nearest, *near)
			}
		}
		all = append(all, r)
	}
	return all, nil
}

// newNearDocument returns a document with its entry in the ledger, nil if it was forgotten
// since.
func newNearDocument(s *store.Snapshot, d calibration.TopDocument) (*nearDocument, error) {
	e, err := s.Entry(d.ID)
	if err != nil || e == nil {
		return nil, err
	}
	near := &nearDocument{ID: d.ID.String(), LogOdds: terminal.Number(d.LogOdds), Class: e.Class, Day: e.Time.UTC().Format("2006-01-02"), Source: e.Source}
	if e.Keep != count.LedgerFull {
		return near, nil
	}
	doc, err := s.Document(d.ID)
	if err != nil || doc == nil {
		return near, err
	}
	for _, term := range doc.Terms {
		if word, ok := bytes.CutPrefix(term.Term, []byte("subject:")); ok && len(near.Subject) < wordsShown {
			near.Subject = append(near.Subject, string(word))
		}
	}
	return near, nil
}

// Print prints a table of the classes' rates, and the documents that decide them.
func Print(p *terminal.Streams, all []OfClass, is string) error {
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
	return printNearest(p, all, is)
}

// printNearest prints the documents that decide the rates, if they are few.
func printNearest(p *terminal.Streams, all []OfClass, is string) error {
	if is == "" && len(all) > 2 {
		p.Printf("\n'polya info --is CLASS' lists the documents that decide the rates of CLASS.\n")
		return nil
	}
	for _, r := range all {
		nearest := r.Nearest
		if is == "" {
			nearest = nearest[:min(nearestWithoutIs, len(nearest))]
		}
		if len(nearest) == 0 {
			continue
		}
		p.Printf("\nNearest to being taken for %s, and so the likeliest to be in the wrong class:\n\n", terminal.Printable(r.Class))
		t := terminal.Table{Numeric: []bool{true}}
		t.Add("log-odds", "class", "document", "learned", "source", "words of the subject")
		for _, d := range nearest {
			t.Add(fmt.Sprintf("%+.3f", float64(d.LogOdds)), terminal.Printable(d.Class), d.ID, d.Day, orDash(terminal.Printable(d.Source)), orDash(terminal.Printable(strings.Join(d.Subject, " "))))
		}
		if err := t.Write(p.Stdout); err != nil {
			return err
		}
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
