package evaluation

import (
	"context"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// Options say what to evaluate, and how.
type Options struct {
	// Models are evaluated on the same documents; at least one.
	Models []classify.Model

	// Analyzer is the spec of the analyzer that made the terms of the Corpus.
	Analyzer string

	// Raw asks for uncalibrated posteriors of the event models; see classify.Options.
	Raw bool

	// Decision chooses the answers, but not those of the baseline.
	Decision decision.Decision

	// Tags says that the classes of the Corpus are sets of tags, which package tags answers. Models,
	// Curve, Baseline and what else is about classes have no meaning then.
	Tags bool

	// Folds is the number of folds, at least 2; HeldOut and Prequential ignore it.
	Folds int

	// Seed seeds the folds, the order of a curve and the bootstrap.
	Seed uint64

	// Curve asks HeldOut for a learning curve.
	Curve bool

	// Baseline, unless nil, answers too, but not in Prequential.
	Baseline Baseline

	// Positive is the positive class. "" selects, of two classes, the one named spam or else
	// the rarer one, and of more classes none.
	Positive string

	// Progress is called when a stage of so many steps begins, and returns the bar that shows
	// them; nil shows no progress.
	Progress func(stage string, steps int64) *terminal.Bar

	bar *terminal.Bar // of the current stage
}

func (o *Options) stage(name string, steps int) {
	o.done()
	if o.Progress != nil {
		o.bar = o.Progress(name, int64(steps))
	}
}

func (o *Options) done() { o.bar.Done() }

// Baseline is a model that is compared with event models, and learns all documents at once.
type Baseline interface {
	// Name is its name among the models.
	Name() string

	// Answer learns the documents train of the corpus, and calls add with its answer to each of
	// test. It returns the variance of its prior.
	Answer(ctx context.Context, c *Corpus, train, test []int, o *Options, add func(i int, r *classify.Result) error) (variance float64, err error)
}
