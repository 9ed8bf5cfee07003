// Package baseline has the baseline of an evaluation: logistic regression, which learns all
// documents at once.
package baseline

import (
	"context"
	"errors"
	"math"

	"github.com/polya-classifier/polya/cmd/internal/evaluation"
	"github.com/polya-classifier/polya/cmd/polya-lab/internal/logistic"
)

// minDF is the number of documents that a term or a category must have.
const minDF = 2

// One in heldShare training documents is held out to choose the variance. With fewer than
// heldLeast documents that is too noisy, and fallbackVariance is used.
const (
	heldShare        = 5
	heldLeast        = 50
	fallbackVariance = 30
)

// Logistic is logistic regression with this variance of its prior, which implements
// evaluation.Baseline. 0 chooses the variance on the training documents.
type Logistic struct{ Variance float64 }

// Name returns "logistic".
func (Logistic) Name() string { return "logistic" }

// Answer fits the model to train and calls add with the scores of the documents of test. It
// returns the variance and, where no weights fit, evaluation.ErrNoFit.
func (l Logistic) Answer(ctx context.Context, c *evaluation.Corpus, train, test []int, o *evaluation.Options, add func(i int, scores []float64) error) (float64, error) {
	y := newBaseline(c, train, !o.WordsOnly)
	variance, start, err := l.choose(ctx, c, y, train, o.Seed)
	if err != nil {
		return 0, err
	}
	model, err := logistic.Fit(ctx, &y.rows, y.labels, y.features, len(y.classes),
		logistic.Options{Variance: variance, Start: start})
	if errors.Is(err, logistic.ErrDiverged) {
		err = evaluation.ErrNoFit
	}
	if err != nil {
		return 0, err
	}
	var features []uint32
	var values, own []float64
	scores := make([]float64, len(c.Classes))
	for _, i := range test {
		features, values = y.row(features[:0], values[:0], &c.Docs[i])
		own = model.Scores(own[:0], features, values)
		for c := range scores {
			scores[c] = math.Inf(-1)
		}
		for k, class := range y.classes {
			scores[class] = own[k]
		}
		if err := add(i, scores); err != nil {
			return 0, err
		}
	}
	return variance, ctx.Err()
}

// baseline holds the training documents as features.
type baseline struct {
	weighting  *logistic.Weighting
	attributes *attributeFeatures // nil for words alone
	features   int
	rows       logistic.Rows
	labels     []int // indices into classes
	classes    []int // classes that have documents
}

func newBaseline(c *evaluation.Corpus, train []int, attributes bool) *baseline {
	y := new(baseline)
	label := make([]int, len(c.Classes))
	for class, n := range c.Count(train) {
		if n > 0 {
			label[class] = len(y.classes)
			y.classes = append(y.classes, class)
		}
	}
	docs := make([][]uint32, len(train))
	for k, i := range train {
		docs[k] = c.Docs[i].Terms
	}
	y.weighting = logistic.NewWeighting(len(c.Terms), minDF, docs)
	y.features = y.weighting.Features()
	if attributes {
		y.attributes = newAttributeFeatures(c.Docs, train, y.features)
		y.features += int(y.attributes.n)
	}
	var features []uint32
	var values []float64
	for _, i := range train {
		doc := &c.Docs[i]
		features, values = y.row(features[:0], values[:0], doc)
		y.rows.Add(features, values)
		y.labels = append(y.labels, label[doc.Class])
	}
	return y
}

func (y *baseline) row(features []uint32, values []float64, doc *evaluation.Doc) ([]uint32, []float64) {
	features, values = y.weighting.Weigh(features, values, doc.Terms, doc.Counts)
	if y.attributes == nil {
		return features, values
	}
	return y.attributes.add(features, values, doc.Attributes)
}

// choose returns the requested variance, or else the best one for a held-out stratified
// fifth of train, and a model to start the fit from. Idf is computed from all of train:
// it does not depend on classes.
func (l Logistic) choose(ctx context.Context, c *evaluation.Corpus, y *baseline, train []int, seed uint64) (float64, *logistic.Model, error) {
	switch {
	case l.Variance > 0:
		return l.Variance, nil, nil
	case len(train) < heldLeast:
		return fallbackVariance, nil, nil
	}
	fold := make(map[int]int, len(train))
	for k, f := range c.Folds(train, heldShare, seed) {
		fold[train[k]] = f
	}
	held, learned, any := make([]bool, len(train)), make([]int, len(y.classes)), false
	for k, i := range train {
		if held[k] = fold[i] == 0; !held[k] {
			learned[y.labels[k]]++
		}
	}
	for k := range held {
		if learned[y.labels[k]] == 0 { // the only document of its class
			held[k] = false
		}
		any = any || held[k]
	}
	if !any {
		return fallbackVariance, nil, nil
	}
	return logistic.Choose(ctx, &y.rows, y.labels, held, y.features, len(y.classes))
}
