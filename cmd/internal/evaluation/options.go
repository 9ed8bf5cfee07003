package evaluation

import (
	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
)

// Options say what to evaluate, and how.
type Options struct {
	// Models are evaluated on the same documents; at least one.
	Models []classify.Model

	// Analyzer is the spec of the analyzer that made the terms of the Corpus.
	Analyzer string

	// Raw asks for uncalibrated posteriors of the event models; see classify.Options.
	Raw bool

	// Decision and Abstain choose the answers. The baseline uses only Abstain.Threshold.
	Decision decision.Decision
	Abstain  decision.Abstain

	// WordsOnly leaves out attributes, as in classify.Options.
	WordsOnly bool

	// Folds is the number of folds, at least 2; HeldOut and Prequential ignore it.
	Folds int

	// Seed seeds the folds, the order of a curve and the bootstrap.
	Seed uint64

	// Curve asks HeldOut for a learning curve.
	Curve bool

	// Baseline, unless nil, answers too; Prequential refuses it.
	Baseline Baseline

	// Study asks for the distributions of terms in the classes, to be drawn.
	Study bool

	// Positive is the positive class. "" selects, of two classes, the one named spam or else
	// the rarer one, and of more classes none.
	Positive string

	// FPR are the false-positive rates, 0 to 1, at which the miss rate of Positive is
	// reported.
	FPR []float64

	// Terms is the number of terms listed for each class.
	Terms int

	// Jobs is the number of documents classified at the same time.
	Jobs int

	// Progress receives the progress of the evaluation, unless nil.
	Progress Progress
}

// Progress receives the progress of an evaluation. Step is called by several goroutines
// at once.
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
