package engine

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/setting"
	"github.com/polya-classifier/polya/serve/decisions"
	"github.com/polya-classifier/polya/serve/engine/learn"
	"github.com/polya-classifier/polya/serve/engine/users"
	"github.com/polya-classifier/polya/store/count"
)

type (
	// Users say which users have a database of their own, and where.
	Users = users.Options
	// Auto says which of its own answers an Engine learns.
	Auto = learn.Auto
	// Publisher appends Deltas to an ordered log.
	Publisher = learn.Publisher
)

// Options say what an Engine works on. Only Path is needed.
type Options struct {
	// Path is the path of the shared database.
	Path string

	// Classify says how databases are opened: analyzer, model, decision, ledger. With
	// one Spam class and no Decision that is decision.Filter for this class. While nothing
	// of it is learned, and without a Spam class, each class answers with the precision that
	// it has earned (decision.Precision). Fitting is set by the Engine.
	Classify classify.Options

	// Users have databases of their own.
	Users Users

	// Decisions says how much is kept of the last answers, in a file named like the database
	// with the suffix .decisions; nil keeps nothing.
	Decisions *decisions.Options

	// Auto has the Engine learn its sure answers; nil learns none.
	Auto *Auto

	// Spam are the classes that Answer.Spam and Score are about, none if empty; nil is "spam".
	Spam []string

	// Publisher puts trainings into a log that the databases follow, together with those of other processes, and
	// nothing else may change or fit them: see Engine.Follow. Nil learns them at once.
	Publisher Publisher

	// Classes may be learned beside those that a database has; nil is "ham".
	// The classes of Spam always may.
	Classes []string

	// FitAfter is how long after a training models are fitted, so that trainings soon after it share the fit; 0 is
	// a second. After a fit the next waits ten times as long as it took.
	FitAfter time.Duration

	// Log receives what an administrator should know, never content; nil logs nothing.
	Log *slog.Logger
}

// busy is the number of trainings that may wait, and of questions in progress; more get backend.ErrBusy at once.
const busy = 1000

// earned decides where there is no class of spam: nine of ten answers are to be right.
var earned = decision.Precision{Share: .9}

// complete checks the options and sets what is left out. It returns the options to open
// databases with, which decide by their settings unless there is a Decision.
func (o *Options) complete() (opened classify.Options, err error) {
	if o.Path == "" {
		return opened, errors.New("no path of a database")
	}
	if o.Spam == nil {
		o.Spam = []string{"spam"}
	}
	if o.Classes == nil {
		o.Classes = []string{"ham"}
	}
	for _, name := range slices.Concat(o.Spam, o.Classes) {
		if err := count.CheckClass(name); err != nil {
			return opened, fmt.Errorf("class %q: %w", name, err)
		}
	}
	opened = o.Classify
	if o.Classify.Decision == nil && len(o.Spam) <= 1 {
		opened.Settings, opened.Otherwise = setting.Values{}, earned
		if len(o.Spam) == 1 {
			opened.Settings[setting.Is] = o.Spam[0]
		}
		maps.Copy(opened.Settings, o.Classify.Settings)
		d, _, err := opened.Settings.Decide()
		if err != nil {
			return opened, err
		}
		o.Classify.Decision = decision.Or(d, earned)
	}
	opened.Fitting = classify.FitByHand
	o.FitAfter = cmp.Or(max(o.FitAfter, 0), time.Second)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return opened, nil
}
