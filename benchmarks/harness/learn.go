package harness

import (
	"context"
	"fmt"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
)

// Memory returns a database in memory that answers by d and fits models only when asked to.
func Memory(d decision.Decision) *classify.Classifier {
	return Must(classify.OpenMemory(nil, classify.Options{Fitting: classify.FitByHand, Decision: d}))
}

// Learn learns documents, which read gives with their classes, in one transaction and fits
// the models to them.
func Learn[T any](c *classify.Classifier, docs []T, read func(T) (class string, d classify.Document)) {
	var batch classify.Batch
	for _, x := range docs {
		class, d := read(x)
		Check(batch.Train(class, d))
	}
	Must(c.Apply(context.Background(), &batch))
	Check(c.Refit(context.Background()))
}

// Classify asks about a document.
func Classify(c *classify.Classifier, d classify.Document) classify.Result {
	return Must(c.Classify(context.Background(), d))
}

// Verdict is a filter's answer for a message.
type Verdict struct {
	Spam, Unsure bool
	Score        float64 // the greater, the more like spam
}

// Tally counts verdicts.
type Tally struct{ Yes, Unsure, No int }

// Add counts one.
func (t *Tally) Add(yes, unsure bool) {
	switch {
	case unsure:
		t.Unsure++
	case yes:
		t.Yes++
	default:
		t.No++
	}
}

// String has yes, unsure and no.
func (t Tally) String() string { return fmt.Sprintf("%d/%d/%d", t.Yes, t.Unsure, t.No) }
