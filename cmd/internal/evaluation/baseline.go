package evaluation

import (
	"context"
	"errors"
	"time"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// Baseline is a model that is compared with event models, and learns all documents at once.
type Baseline interface {
	// Name is its name among the models.
	Name() string

	// Answer learns the documents train of the corpus, and calls add for each of test with its
	// scores: unnormalized log-probabilities by class, -Inf for a class that was not learned.
	// It returns the variance of its prior, and ErrNoFit if it cannot learn them.
	Answer(ctx context.Context, c *Corpus, train, test []int, o *Options, add func(i int, scores []float64) error) (variance float64, err error)
}

// ErrNoFit is the error of a Baseline for which no weights fit the documents.
var ErrNoFit = errors.New("no weights fit the documents")

// fit is what the report says of a Baseline's fit.
type fit struct {
	variance float64
	seconds  float64
}

// askBaseline fits the baseline to train and adds its answers for test. If no fit is
// found, as for a variance near 0, it adds a note and drops the baseline from then on:
// the requested models are still measured.
func (e *experiment) askBaseline(train, test []int, to *answers) error {
	began := time.Now()
	e.o.stage("fitting "+to.name, 0)
	variance, err := e.o.Baseline.Answer(e.ctx, e.corpus, train, test, e.o, func(i int, scores []float64) error {
		return to.addScores(e.corpus, i, scores, e.o.Abstain.Threshold)
	})
	if errors.Is(err, ErrNoFit) {
		e.note("%s is left out: no weights were found that fit %s", to.name, terminal.Counted(len(train), "document", "documents"))
		e.o.Baseline, e.whole = nil, nil
		e.answers = e.answers[:len(e.o.Models)]
		return nil
	}
	seconds := time.Since(began).Seconds()
	if to.fit != nil {
		seconds += to.fit.seconds
	}
	to.fit = &fit{variance, seconds}
	return err
}
