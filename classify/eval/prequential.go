package eval

import (
	"errors"
	"iter"
)

// ErrNoAnswer is what the test of Prequential returns for a document of which
// nothing can be said yet, because nothing was learned.
var ErrNoAnswer = errors.New("no answer")

// Running are measures of a stream up to a document.
type Running struct {
	// Docs is the number of documents that were answered and learned.
	Docs int

	// Skipped is the number of documents that were learned without an answer.
	Skipped int

	// Right is the number of answers that said the true class.
	Right int

	// UnsureDocs is the number of answers that said no class.
	UnsureDocs int

	surprise, brier float64
}

func (m *Running) add(a *Answer) {
	m.Docs++
	switch a.Said {
	case a.Class:
		m.Right++
	case Unsure:
		m.UnsureDocs++
	}
	m.surprise += surprise(a.probability(a.Class))
	m.brier += brier(a)
}

// Accuracy is that of the answers so far, NaN before the first.
func (m Running) Accuracy() float64 { return float64(m.Right) / float64(m.Docs) }

// LogLoss is that of the answers so far, NaN before the first.
func (m Running) LogLoss() float64 { return m.surprise / float64(m.Docs) }

// Brier is that of the answers so far, NaN before the first.
func (m Running) Brier() float64 { return m.brier / float64(m.Docs) }

// Prequential tests a classifier on every document of a stream, in order, before it
// learns that document (Dawid's prequential method): no document is wasted and none
// has helped its own answer. It adds the answers to r and yields the running measures
// after each document. Each range over it reads the stream anew.
//
// The indices of an answer are those of r; a class that was not seen before is named
// by r.Class. If test returns ErrNoAnswer, wrapped or not, the document is learned
// and counted as skipped. Any other error, of the stream, of test, of r.Add or of
// train, is yielded with the measures so far and ends the iteration.
func Prequential[D any](stream iter.Seq2[D, error], r *Results, test func(D) (Answer, error), train func(D) error) iter.Seq2[Running, error] {
	return func(yield func(Running, error) bool) {
		var m Running
		for doc, err := range stream {
			if err == nil {
				err = answer(&m, r, doc, test)
			}
			if err == nil {
				err = train(doc)
			}
			if !yield(m, err) || err != nil {
				return
			}
		}
	}
}

// answer asks for one document.
func answer[D any](m *Running, r *Results, doc D, test func(D) (Answer, error)) error {
	a, err := test(doc)
	if errors.Is(err, ErrNoAnswer) {
		m.Skipped++
		return nil
	}
	if err == nil {
		err = r.Add(a)
	}
	if err == nil {
		m.add(&a)
	}
	return err
}
