package engine

import (
	"log/slog"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/decisions"
)

// Options say what an Engine works on. Path is needed; the zero value of the rest is
// what suits a mail server with two classes.
type Options struct {
	// Path is the path of the shared database.
	Path string

	// Classify says how databases are opened: analyzer, model, decision, ledger. With
	// one Spam class and no Decision that is decision.Filter for this class.
	// Fitting is set by the Engine.
	Classify classify.Options

	// Users have databases of their own.
	Users Users

	// Decisions says how much is kept of the last answers, in a file named like the
	// database with .decisions at its end; nil keeps nothing.
	Decisions *decisions.Options

	// Auto has the Engine learn its sure answers; nil does not.
	Auto *Auto

	// Spam are the classes for which Answer.Spam and Score are; nil is "spam", and an
	// empty list none.
	Spam []string

	// Publisher puts trainings into a log that the shared database follows, together with the
	// databases of other processes; nil learns them at once. With it nothing else changes
	// that database, nor fits it: see classify.Classifier.ApplyLog. There are no Users and no
	// Auto then.
	Publisher Publisher

	// NoThreshold leaves out Answer.Threshold, unless there is Auto. To know it takes
	// reading the whole calibration, which takes longer than one answer.
	NoThreshold bool

	// Classes may be learned beside those that a database has; nil is "ham".
	// The classes of Spam always may.
	Classes []string

	// MaxMessage is the size in bytes beyond which a message is backend.ErrSize; 0 is
	// 64 MiB.
	MaxMessage int

	// MaxWaiting is the number of trainings that wait at a time, and MaxAnswers the number of
	// questions in hand; what is beyond is backend.ErrBusy at once. 0 is 1,000.
	MaxWaiting, MaxAnswers int

	// FitAfter is how long after a training models are fitted, so that the next
	// trainings are fitted with it; 0 is a second. After a fit there is none for ten
	// times as long as it took.
	FitAfter time.Duration

	// Log is told what an administrator should know; nil is nobody. It is never told
	// what is in a message.
	Log *slog.Logger
}
