package evaluation

import (
	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/classify/overlap"
)

// Options say what to evaluate, and how.
type Options struct {
	// Models are asked side by side, at least one.
	Models []classify.Model

	// Analyzer is the spec of the analyzer that made the terms of the Corpus.
	Analyzer string

	// Raw asks for the posteriors of the event models as they are, not
	// calibrated; see classify.Options.
	Raw bool

	// Selection chooses terms, and Decision and Abstain choose the answers. The
	// baseline heeds of these only Abstain.Threshold.
	Selection classify.Selection
	Decision  decision.Decision
	Abstain   decision.Abstain

	// Attributes, Screen, ScreenBy and WordsOnly say how attributes are read, as those of
	// classify.Options do. The baseline heeds only WordsOnly.
	Attributes model.Attributes
	Screen     float64
	ScreenBy   overlap.Measure
	WordsOnly  bool

	// Folds is their number, at least 2; HeldOut and Prequential do not read it.
	Folds int

	// Seed is that of folds, of the order of a curve and of the bootstrap.
	Seed uint64

	// Curve asks HeldOut for a learning curve.
	Curve bool

	// Logistic adds the baseline; Prequential refuses it. Variance is that of
	// the prior of its weights, 0 to have it chosen on the documents to learn.
	Logistic bool
	Variance float64

	// Positive is the class to look for. Empty is, of two, the one named spam or
	// else the rarer one, of more, none.
	Positive string

	// FPR are the false-positive rates at which it is told how much of Positive
	// is missed, 0 to 1.
	FPR []float64

	// Terms is how many terms are listed for each class.
	Terms int

	// Jobs is how many questions are asked at the same time.
	Jobs int

	// Progress is told how far the evaluation is, unless nil.
	Progress Progress
}

// Progress is told how far an evaluation is. Step is called by several goroutines at
// once.
type Progress interface {
	// Stage begins a stage with that many steps.
	Stage(name string, steps int)

	// Step says that n more steps of the stage are done.
	Step(n int)
}

func (o *Options) stage(name string, steps int) {
	if o.Progress != nil {
		o.Progress.Stage(name, steps)
	}
}

func (o *Options) step(n int) {
	if o.Progress != nil {
		o.Progress.Step(n)
	}
}
