package evaluation

import (
	"errors"
	"math"
	"time"

	"github.com/polya-classifier/polya/cmd/internal/logistic"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// logisticName is the baseline's name among the models.
const logisticName = "logistic"

// The baseline ignores terms and categories of fewer documents.
const logisticMinDF = 2

// One in heldShare training documents is held out to choose the variance. With fewer than
// heldLeast documents that is too noisy, and fallbackVariance is used.
const (
	heldShare        = 5
	heldLeast        = 50
	fallbackVariance = 30
)

type fit struct {
	variance float64
	seconds  float64
}

// askBaseline fits the baseline to train and adds its answers for test. If no fit is
// found, as for a variance near 0, it adds a note and drops the baseline from then on:
// the requested models are still measured.
func (e *experiment) askBaseline(train, test []int, to *answers) error {
	err := e.fitBaseline(train, test, to)
	if errors.Is(err, logistic.ErrDiverged) {
		e.note("%s is left out: no weights were found that fit %s", logisticName, terminal.Counted(len(train), "document", "documents"))
		e.o.Logistic, e.whole = false, nil
		e.answers = e.answers[:len(e.o.Models)]
		return nil
	}
	return err
}

// fitBaseline is askBaseline without the handling of failed fits.
func (e *experiment) fitBaseline(train, test []int, to *answers) error {
	began := time.Now()
	y := newBaseline(e.corpus, train, !e.o.WordsOnly)
	variance, start, err := y.choose(e, train)
	if err != nil {
		return err
	}
	e.o.stage("fitting logistic", 0)
	model, err := logistic.Fit(e.ctx, &y.rows, y.labels, y.features, len(y.classes),
		logistic.Options{Variance: variance, Start: start})
	if err != nil {
		return err
	}
	seconds := time.Since(began).Seconds()
	if to.fit != nil {
		seconds += to.fit.seconds
	}
	to.fit = &fit{variance, seconds}
	var features []uint32
	var values, own []float64
	scores := make([]float64, len(e.corpus.Classes))
	for _, i := range test {
		doc := &e.corpus.Docs[i]
		features, values = y.row(features[:0], values[:0], doc)
		own = model.Scores(own[:0], features, values)
		for c := range scores {
			scores[c] = math.Inf(-1)
		}
		for k, class := range y.classes {
			scores[class] = own[k]
		}
		if err := to.addScores(e.corpus, i, scores, e.o.Abstain.Threshold); err != nil {
			return err
		}
	}
	return e.ctx.Err()
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

func newBaseline(c *Corpus, train []int, attributes bool) *baseline {
	y := new(baseline)
	label := make([]int, len(c.Classes))
	for class, n := range c.count(train) {
		if n > 0 {
			label[class] = len(y.classes)
			y.classes = append(y.classes, class)
		}
	}
	docs := make([][]uint32, len(train))
	for k, i := range train {
		docs[k] = c.Docs[i].Terms
	}
	y.weighting = logistic.NewWeighting(len(c.Terms), logisticMinDF, docs)
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

func (y *baseline) row(features []uint32, values []float64, doc *Doc) ([]uint32, []float64) {
	features, values = y.weighting.Weigh(features, values, doc.Terms, doc.Counts)
	if y.attributes == nil {
		return features, values
	}
	return y.attributes.add(features, values, doc.Attributes)
}

// choose returns the requested variance, or else the best one for a held-out stratified
// fifth of train, and a model to start the fit from. Idf is computed from all of train:
// it does not depend on classes.
func (y *baseline) choose(e *experiment, train []int) (float64, *logistic.Model, error) {
	switch {
	case e.o.Variance > 0:
		return e.o.Variance, nil, nil
	case len(train) < heldLeast:
		return fallbackVariance, nil, nil
	}
	e.o.stage("choosing a prior", 0)
	fold := make(map[int]int, len(train))
	for k, f := range e.corpus.folds(train, heldShare, e.o.Seed) {
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
	return logistic.Choose(e.ctx, &y.rows, y.labels, held, y.features, len(y.classes))
}
