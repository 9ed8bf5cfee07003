// Package model has the event models: ways to read the counts of a database as the
// probability of a document in each class.
//
// An EventModel is prepared for the Totals of the classes and gives a Scorer, which
// scores the Evidence: one document with what was counted of its terms and attributes.
// Multinomial, Bernoulli, DCM, Normalised, Complement and Ratio read terms, Attributes
// reads named values, and a Stack weighs the scores of several. Counts come through a
// Reader; nothing here knows how they are kept, nor text.
//
// Evidence.LeaveOut and Features score a learned document as if it had never been
// learned. TermSums keep what terms contribute to a Stack, and a Reading scores documents by it.
package model

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

	// All is what was counted of all documents together where a document can be of several
	// classes, or of none. Nil is the sum of the classes.
	All *count.Class

	// Attributes are the attributes that the classes' documents have, in order of
	// name.
	Attributes []*count.AttributeTotals
}

// EventModel is a way to read the counts: it turns totals into a Scorer.
type EventModel interface {
	// Name is the model's name, by which users ask for it and results show it, with its
	// parameters if they are not the default; Parse reads it. A classify.Classifier
	// takes two models of one name for the same, save Stacks that differ in their
	// parts and DCMs that differ in their Fits.
	Name() string

	// Levels reports whether the Scorer reads Cell.U.
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

	// Explain adds to x, multiplied by weight, the contributions that Score adds up for
	// the document.
	Explain(e *Evidence, weight float64, x *Contributions)
}

// Incremental is a Scorer that can be changed to totals with one document fewer in less
// time than preparing it anew takes. Leave-one-out does that for each document. Scorers
// may implement it.
type Incremental interface {
	Scorer

	// Without returns the Scorer for the totals left when a document of that class is
	// taken away.
	Without(left Totals, class int) Scorer
}

// Contributions are the summands of the scores of a document, by class. What is left of
// a score beside them is the contribution of the document's length, or of the terms that
// it lacks.
type Contributions struct {
	Start      []float64   // what the score of a class begins with, whatever the document
	Rows       [][]float64 // [i][c]: row i of the Evidence, those of channels behind the others
	Attributes [][]float64 // [i][c]: attribute i of the Evidence
}

// NewContributions returns contributions of 0 for a document and so many classes.
func NewContributions(e *Evidence, classes int) *Contributions {
	rows := len(e.Rows) + len(e.Channel)
	memory := make([]float64, classes*(1+rows+len(e.Attributes)))
	next := func() []float64 {
		one := memory[:classes:classes]
		memory = memory[classes:]
		return one
	}
	x := &Contributions{Start: next(), Rows: make([][]float64, rows), Attributes: make([][]float64, len(e.Attributes))}
	for i := range x.Rows {
		x.Rows[i] = next()
	}
	for i := range x.Attributes {
		x.Attributes[i] = next()
	}
	return x
}

// Add adds weight × one, which may lack the rows or the attributes.
func (x *Contributions) Add(one *Contributions, weight float64) {
	addTimes(x.Start, one.Start, weight)
	for i := range one.Rows {
		addTimes(x.Rows[i], one.Rows[i], weight)
	}
	for i := range one.Attributes {
		addTimes(x.Attributes[i], one.Attributes[i], weight)
	}
}

// addTimes adds weight × values to sums.
func addTimes(sums, values []float64, weight float64) {
	for c := range sums {
		sums[c] += weight * values[c]
	}
}
