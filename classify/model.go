package classify

import (
	"github.com/polya-classifier/polya/store/count"
)

// Totals is what an event model may know beside the rows of a document: the
// classes as a whole, in the order in which all slices by class are kept, and
// the number of distinct terms of all classes together, and what was counted of
// their attributes.
type Totals struct {
	Classes    []*count.Class
	Documents  uint64
	Vocabulary uint64

	// Attributes are the attributes that the classes' documents have, in order of
	// name.
	Attributes []*count.AttributeTotals
}

// EventModel is a way to read the counts: it turns totals into a Scorer.
type EventModel interface {
	// Name is the model's name on the command line and in results, with its
	// parameters if they are not the default; ParseModel reads it. A Classifier
	// takes two models of one name for the same, save Stacks that differ in their
	// parts and DCMs that differ in their Fits.
	Name() string

	// Levels says whether the Scorer reads Cell.U.
	Levels() bool

	// Prepare computes what does not depend on the document. The Scorer is
	// immutable and safe for concurrent use.
	Prepare(t Totals) Scorer
}

// Scorer scores documents. A score is a log-likelihood, up to a summand that is
// the same for all classes, or another quantity that is the higher the more the
// document speaks for the class.
type Scorer interface {
	// Score sets scores[c] to the score of the document in class c.
	Score(e *Evidence, scores []float64)

	// Weigh sets weights[c] to the share of row i in what Score gives class c.
	// What is left when the shares of all rows are taken from the score is what
	// the document's length, or the terms that it lacks, say.
	Weigh(e *Evidence, i int, weights []float64)
}
