package main

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// shownRates are the false-positive rates that 'polya info' and 'polya calibrate' tell of.
var shownRates = []float64{.001, .003, .01}

// nearestWithoutIs is the number of documents listed for each of two classes, where --is
// names none; of one that it names all are that the calibration keeps.
const nearestWithoutIs = 3

// wordsShown is the number of words shown of a subject. They are in order of bytes.
const wordsShown = 8

// classRates says of one class what --fpr would do.
type classRates struct {
	Class   string         `json:"class"`
	Judged  int            `json:"judged"`
	Others  int            `json:"others_judged"`
	Rates   []rateJSON     `json:"rates"`
	Nearest []nearDocument `json:"nearest,omitempty"`
}

// rateJSON is the cut-off for one rate. Without enough documents of other classes it is
// not known.
type rateJSON struct {
	Rate      float64         `json:"rate"`
	Needed    int             `json:"others_needed"`
	Known     bool            `json:"known"`
	LogOdds   terminal.Number `json:"log_odds"`
	Caught    int             `json:"caught"`
	Exceeding int             `json:"others_beyond"`
}

// nearDocument is a document of another class that comes near to being answered as the
// class, with what the ledger knows of it.
type nearDocument struct {
	ID      string          `json:"document"`
	LogOdds terminal.Number `json:"log_odds"`
	Class   string          `json:"class"`
	Day     string          `json:"day"`
	Source  string          `json:"source,omitempty"`
	Subject []string        `json:"subject_words,omitempty"`
}

// ratesFlag adds the --is of commands that show rates.
func ratesFlag(p *program, cmd *cobra.Command, is *string) {
	cmd.Flags().StringVar(is, "is", "", "show what --fpr does for `CLASS` alone, with the documents that decide it")
	_ = cmd.RegisterFlagCompletionFunc("is", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return p.completeClass(nil)
	})
}

// checkRatesClass refuses a class that the database does not have.
func checkRatesClass(db *store.DB, is string) error {
	if is != "" && classNamed(db, is) == nil {
		return noSuchClass(db.Path(), is)
	}
	return nil
}

// ratesIn is ratesOf for the model that answers by default.
func ratesIn(c *classify.Classifier, k *calibration.Calibration, is string) (all []classRates, err error) {
	err = c.Store().View(func(s *store.Snapshot) error {
		all, err = ratesOf(s, calibratedModel(k, k.Chosen), is)
		return err
	})
	return all, err
}

// ratesOf returns what --fpr would do by a model, for the class of that name or, if the
// name is empty, for each; nil if nothing is known of it.
func ratesOf(s *store.Snapshot, m *calibration.Model, is string) ([]classRates, error) {
	if m == nil {
		return nil, nil
	}
	var all []classRates
	for _, class := range s.Classes() {
		tail, known := m.Tails[class.ID]
		if !known || class.Docs == 0 || is != "" && class.Name != is {
			continue
		}
		r := classRates{Class: class.Name, Judged: tail.Own, Others: tail.Documents}
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

// newNearDocument returns what the ledger knows of a document, nil if it was forgotten
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

// printRates prints a table of the classes' rates, and the documents that decide them.
func (p *program) printRates(all []classRates, is string) error {
	if len(all) == 0 {
		return nil
	}
	known, short := false, false
	t := terminal.Table{Numeric: []bool{false, true, true, true}}
	head := []string{"class"}
	for _, rate := range shownRates {
		head = append(head, percentage(rate))
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
	if short {
		p.Printf("\n(\"needs N\": the calibration sample needs N documents of other classes, and 10 of the class)\n")
	}
	return p.printNearest(all, is)
}

// printNearest prints the documents that decide the rates, where they are few.
func (p *program) printNearest(all []classRates, is string) error {
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

// cell is a rate in the table.
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

// percentage is a rate as --fpr reads it.
func percentage(rate float64) string { return fmt.Sprintf("%.3g%%", 100*rate) }

// noteRate says why a rate is not known yet, and which is.
func (p *program) noteRate(c *classify.Classifier, decision classify.Decision) error {
	d, rate := decision.(classify.FalsePositiveRate)
	if !rate {
		return nil
	}
	k, err := c.Calibration()
	if err != nil {
		return err
	}
	name := c.Model().Name()
	if k != nil && name == (classify.Auto{}).Name() {
		name = k.Chosen
	}
	if k == nil || calibratedModel(k, name) == nil {
		p.Note(fmt.Errorf("--fpr: %s is not calibrated and its rates are not known; 'polya calibrate' does that", name))
		return nil
	}
	tail := calibratedModel(k, name).Tails[classNamed(c.Store(), d.Positive).ID]
	if _, known := tail.Cut(d.Rate); known {
		return nil
	}
	needed := calibration.Needed(d.Rate)
	advice := ""
	if least := tail.LeastRate(); least < 1 {
		// Rounded up, to what is surely known.
		advice = fmt.Sprintf("; --fpr %s is known", percentage(math.Ceil(least*1e4)/1e4))
	}
	if learned, others := documentsBeside(c.Store(), d.Positive); others >= uint64(needed) && tail.Documents < needed {
		advice += fmt.Sprintf("; 'polya calibrate --sample %d' takes more", learned)
	}
	p.Note(fmt.Errorf("--fpr %s is not known yet: the calibration sample needs %s of other classes and 10 of %s, and has %s and %s%s",
		percentage(d.Rate), terminal.Counted(needed, "document", "documents"), d.Positive,
		terminal.Grouped(tail.Documents), terminal.Grouped(tail.Own), advice))
	return nil
}

// documentsBeside returns how many documents were learned, and how many of them of
// other classes than the one given.
func documentsBeside(db *store.DB, class string) (all, others uint64) {
	for _, c := range classesOf(db) {
		all += c.Docs
		if c.Name != class {
			others += c.Docs
		}
	}
	return all, others
}
