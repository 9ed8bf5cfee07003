// Package model has the event models, which compute the probability of a document in each
// class from the counts of a database.
//
// An EventModel is prepared for the Totals of the classes and gives a Scorer, which
// scores Evidence: one document with the counts of its terms and attributes. Multinomial,
// Bernoulli, DCM, Normalised, Complement and Ratio read terms, Attributes reads named
// values, and a Stack is a weighted sum of several scores. Counts come through a Reader;
// the package knows neither their storage nor text.
//
// Evidence.LeaveOut and Features score a learned document as if it had never been learned.
// TermSums caches the contributions of terms to a Stack, and a Reading scores documents with it.
package model

import (
	"github.com/polya-classifier/polya/store/count"
)

// Totals are the inputs of an event model beside the rows of a document: the totals of the
// classes, in the order of all slices by class, the number of distinct terms of all
// classes, and the counts of attributes.
type Totals struct {
	Classes    []*count.Class
	Documents  uint64
	Vocabulary uint64

	// All holds the counts of all documents together if a document can be of several classes,
	// or of none. Nil means the sum of the classes.
	All *count.Class

	// Attributes are the attributes that the classes' documents have, in order of
	// name.
	Attributes []*count.AttributeTotals
}

// EventModel turns totals into a Scorer. Only the Scorer of a DCM reads Cell.U.
type EventModel interface {
	// Name is the model's name, by which users ask for it and results show it, with its
	// parameters if they are not the default; Parse reads it. Models of the same name are
	// equal, except DCMs with different Fits.
	Name() string

	// Prepare does the computations that do not depend on the document. The model has passed
	// Check. The Scorer is immutable and safe for concurrent use.
	Prepare(t Totals) Scorer
}

// Scorer scores documents. A score is a log-likelihood, up to a constant common to all
// classes, or another quantity that grows with the evidence for the class; it is finite.
type Scorer interface {
	// Score sets scores[c] to the score of the document in class c.
	Score(e *Evidence, scores []float64)

	// Explain adds to x, multiplied by weight, the contributions that Score adds up for
	// the document.
	Explain(e *Evidence, weight float64, x *Contributions)
}

// incremental is a Scorer, or the contributor of one, that can be updated to totals with one
// document fewer faster than by preparing it again. Leave-one-out does that for each document.
type incremental interface {
	// Without returns the Scorer for the totals left without a document of this class.
	Without(left Totals, class int) Scorer
}

// Contributions are the summands of the scores of a document, by class. The rest of a
// score is the contribution of the document's length, or of the terms that it lacks.
type Contributions struct {
	Start      []float64   // by class: the constant part of the score
	Rows       [][]float64 // [i][c]: row i of the Evidence, then the rows of channels
	Attributes [][]float64 // [i][c]: attribute i of the Evidence
}

// NewContributions returns contributions of 0 for a document and this number of classes.
func NewContributions(e *Evidence, classes int) *Contributions {
	rows := len(e.Rows) + len(e.Channel)
	all := make([][]float64, rows+len(e.Attributes))
	for i := range all {
		all[i] = make([]float64, classes)
	}
	return &Contributions{make([]float64, classes), all[:rows], all[rows:]}
}

// addTimes adds weight × values to sums.
func addTimes(sums, values []float64, weight float64) {
	for c, v := range values {
		sums[c] += weight * v
	}
}
