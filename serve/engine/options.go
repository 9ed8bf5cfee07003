package engine

import (
	"log/slog"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/decisions"
)

// Options say what an Engine works on. Path is needed; the zero value of the rest suits a
// mail server with two classes.
type Options struct {
	// Path is the path of the shared database.
	Path string

	// Classify says how databases are opened: analyzer, model, decision, ledger. With
	// one Spam class and no Decision that is decision.Filter for this class.
	// Fitting is set by the Engine.
	Classify classify.Options

	// Users have databases of their own.
	Users Users

	// Decisions says how much is kept of the last answers, in a file named like the database
	// with the suffix .decisions; nil keeps nothing.
	Decisions *decisions.Options

	// Auto has the Engine learn its sure answers; nil learns none.
	Auto *Auto

	// Spam are the classes that Answer.Spam and Score are about; nil is "spam", and an empty
	// list none.
	Spam []string

	// Publisher puts trainings into a log that the shared database follows, together with the
	// databases of other processes; nil learns them at once. With it nothing else may change
	// or fit that database: see classify.Classifier.ApplyLog. It excludes Users and Auto.
	Publisher Publisher

	// NoThreshold leaves out Answer.Threshold, unless there is Auto. Computing it reads the
	// whole calibration, which takes longer than one answer.
	NoThreshold bool

	// Classes may be learned beside those that a database has; nil is "ham".
	// The classes of Spam always may.
	Classes []string

	// MaxMessage is the largest size of a message in bytes; the error of a larger one is
	// backend.ErrSize. 0 is 64 MiB.
	MaxMessage int

	// MaxWaiting is the number of trainings that may wait, and MaxAnswers the number of
	// questions in progress; more get backend.ErrBusy at once. 0 is 1,000.
	MaxWaiting, MaxAnswers int

	// FitAfter is how long after a training models are fitted, so that trainings soon after
	// it share the fit; 0 is a second. After a fit the next waits ten times as long as it
	// took.
	FitAfter time.Duration

	// Log receives what an administrator should know, never the content of a message; nil
	// logs nothing.
	Log *slog.Logger
}
