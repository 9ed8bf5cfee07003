package classify

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/setting"
	"github.com/polya-classifier/polya/store"
)

// Options are the options of Open. The zero value opens the database for reading and
// writing, makes it if it does not exist, and uses the default model.
type Options struct {
	// Analyzer is the spec of the analyzer; see package tokenize. A new database keeps it,
	// empty is tokenize.DefaultSpec. An existing one is opened with its own if this is empty,
	// and refused if this differs.
	Analyzer string

	// Model answers, one that ParseModel returns or of package model; nil is Auto.
	Model Model

	// Raw gives the posteriors of the event model itself, neither tempered nor calibrated. The
	// default Stack has its unfitted weights, which grow with the number of documents.
	Raw bool

	// Fitting says when models are fitted.
	Fitting Fitting

	// Decision chooses the answer; nil is what the database keeps (package setting), which is
	// decision.MostProbable{} if it keeps nothing.
	Decision decision.Decision

	// Threshold is the probability below which an answer is unsure, 0 to 1; 0 is what the database keeps.
	Threshold float64

	// Settings go before those that the database keeps, if Decision is nil.
	Settings setting.Values

	// Otherwise decides where Decision is nil and the settings name none, and while nothing is
	// learned of the class that a filter of the settings asks about.
	Otherwise decision.Decision

	// Holds says what the database holds. Open refuses a database that holds something else.
	Holds Holds

	// Store are the options of the file, except Analyzer, DefaultAnalyzer and Tags: those are
	// Options.Analyzer and Holds, and Open refuses them here.
	Store store.Options

	decided bool // Decision was given, and not filled in
}

// Holds is what a document can have in a database: one class, or any number of tags.
type Holds int

const (
	Classes Holds = iota // one class
	Tags                 // any number of tags: package tags answers, and a Classifier does not
	Either               // as in the file, or classes in a new one
)

// The errors of Open for a database that contradicts Options.Holds, and of a question
// about classes to a database of tags.
var (
	ErrHasTags    = errors.New("the database has tags, and no classes")
	ErrHasClasses = errors.New("the database has classes, and no tags")
)

// check returns an error unless a database with tags, or without, can be opened.
func (h Holds) check(tags bool) error {
	switch {
	case tags && h == Classes:
		return ErrHasTags
	case !tags && h == Tags:
		return ErrHasClasses
	}
	return nil
}

// Fitting says when trainings fit and calibrate models, which is due from time to time and
// takes a second or more. Until then models use the stored fits and weights, or defaults.
type Fitting int

const (
	// FitBehind fits to a snapshot in a separate goroutine, in at most a tenth of one
	// processor's time, and no training waits. Documents learned after the snapshot count for
	// the next fit. Close waits for a due fit, except a slow one in a process that has changed
	// only a few documents: that is left to Refit, Calibrate or a process that changes more.
	// Only a training of a third of all documents, or into a small database, fits itself.
	FitBehind Fitting = iota

	// FitInCall fits before the training that makes it due returns: then answers depend only
	// on the trainings before them.
	FitInCall

	// FitByHand fits nothing: the program calls Refit or Calibrate.
	FitByHand
)

// decide completes the settings by those of the database, and takes the decision from them
// unless the options have one.
func (o *Options) decide(db *store.DB) error {
	kept, err := setting.Of(db)
	if err != nil {
		return err
	}
	if o.Settings = o.Settings.Over(kept); o.decided {
		return nil
	}
	d, threshold, err := o.Settings.Decide()
	if err != nil {
		return fmt.Errorf("%s: settings: %w", db.Path(), err)
	}
	if d = decision.Or(d, o.Otherwise); d != nil {
		o.Decision = d
	}
	o.Threshold = cmp.Or(o.Threshold, threshold)
	if err := o.complete(); err != nil {
		return fmt.Errorf("%s: %w", db.Path(), err)
	}
	return nil
}

// complete fills in Model and Decision, and returns an error for options that are out of
// range or exclude each other.
func (o *Options) complete() error {
	if o.Model == nil {
		o.Model = Auto{}
	}
	if o.decided = o.decided || o.Decision != nil; o.Decision == nil {
		o.Decision = decision.MostProbable{}
	}
	if o.Fitting < FitBehind || o.Fitting > FitByHand {
		return fmt.Errorf("there is no Fitting %d", o.Fitting)
	}
	if err := checkModel(o.Model); err != nil {
		return err
	}
	if err := decision.Check(o.Decision, o.Threshold); err != nil {
		return err
	}
	if o.Raw && decision.PartsOf(o.Decision).NeedsRates {
		return errors.New("want raw posteriors or a false-positive rate, not both: rates are known of calibrated models")
	}
	return nil
}
